declare module '*.env.example' {
  const text: string
  export default text
}
