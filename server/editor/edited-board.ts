import { basename, resolve } from 'node:path'
import { BoardFaults, parseBoard, type Warning } from '../board/board.ts'
import type { Marking } from '../board/edit/marking.ts'
import { openDrawing, writeBoard } from '../board/edit/open-drawing.ts'
import { sayWithoutLine } from '../board/findings.ts'
import { SECTION_SHAPES } from '../board/vocabulary.ts'
import { writeSvg } from '../board/write.ts'
import { replaceFile, textOf } from '../whole-file.ts'

export type { Marking, Part } from '../board/edit/marking.ts'

export interface Remark {
  text: string
  /** the picture looks the same without it */
  harmless: boolean
}

/** What the page begins with. */
export interface Beginning {
  name: string
  /** where it is saved */
  target: string
  /** the cleaned drawing, without its marks */
  svg: string
  /** what the import changed */
  changes: Remark[]
  marking: Marking
  /** names of elements that may be a section */
  markable: string[]
}

/** What the board would be. */
export interface Judged {
  faults: string[]
  warnings: Remark[]
  /** the board as it would be served; undefined where there are faults */
  svg?: string
}

export interface Saved {
  target: string
  sections: number
  /** the name that the file got which was there before */
  kept?: string
}

/** One drawing while its sections are marked, and the file that it is saved to. */
export class EditedBoard {
  readonly target: string
  lastSaved: Saved | undefined
  private readonly open
  /** as it was saved last, or opened */
  private written: string
  private seen: string
  /** the file holds what we wrote */
  private ours: string | undefined

  constructor(
    readonly file: string,
    out = besides(file),
  ) {
    this.target = resolve(out)
    this.open = openDrawing(file)
    this.written = this.seen = writeBoard(this.open, this.open.marking)
  }

  /** The page was last seen with something that is not in the file. */
  get isUnsaved(): boolean {
    return this.seen !== this.written
  }

  get images() {
    return this.open.images
  }

  begin(): Beginning {
    const { drawing, warnings, marking } = this.open
    return {
      name: basename(this.file),
      target: this.target,
      svg: writeSvg(drawing),
      changes: warnings.map(remark),
      marking,
      markable: [...SECTION_SHAPES],
    }
  }

  check(marking: Marking): Judged {
    this.seen = writeBoard(this.open, marking)
    try {
      const { svg, warnings } = parseBoard(this.seen)
      return { faults: [], warnings: warnings.map(remark), svg }
    } catch (error) {
      if (!(error instanceof BoardFaults)) throw error
      // what is written has one line
      return { faults: error.faults.map(fault => fault.replace(/^line 1: /, '')), warnings: [] }
    }
  }

  /** Undefined where another file would be replaced and nobody has agreed to it; faults are thrown. */
  save(marking: Marking, mayReplace: boolean): Saved | undefined {
    const text = writeBoard(this.open, marking)
    const { sections } = parseBoard(text)
    const there = textOf(this.target)
    const isForeign = there !== undefined && there !== this.ours
    if (isForeign && !mayReplace) return undefined
    const kept = replaceFile(this.target, text, { keepOld: isForeign })
    this.ours = this.written = this.seen = text
    this.lastSaved = { target: this.target, sections: sections.size, kept }
    return this.lastSaved
  }
}

const remark = (warning: Warning): Remark => ({ text: sayWithoutLine(warning), harmless: warning.harmless })

/** A photograph becomes a drawing of its name. */
const besides = (file: string) => file.replace(/\.(png|jpe?g|webp)$/i, '.svg')
