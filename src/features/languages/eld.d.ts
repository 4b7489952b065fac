// The types of eld stand where TypeScript does not look for them.

declare module 'eld/extrasmall' {
  export const eld: {
    detect(text: string): {
      /** ISO 639-1; empty: none. */
      readonly language: string
      isReliable(): boolean
      /** From 0 to 1, by language. */
      getScores(): Record<string, number>
    }
  }
}
