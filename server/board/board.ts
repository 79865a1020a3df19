export interface Section {
  id: string
  label: string
}

export interface Board {
  /** the validated picture, as served at /board.svg */
  svg: string
  /** by id, in the order of the drawing */
  sections: ReadonlyMap<string, Section>
}
