/** Styles of one part of a page, which the build loads with its script. */
declare module '*.css'

/** The text of a file. */
declare module '*.txt?raw' {
  const text: string
  export default text
}
