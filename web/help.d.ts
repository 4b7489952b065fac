/** The help for members, which the build makes from the guide and its translations (scripts/help.ts). */
declare module 'virtual:help' {
  type Section = {
    readonly id: string
    readonly heading: string
    /** Whether the heading is in English on a page in another language. */
    readonly isEnglish?: true
    readonly html: string
  }
  /** By language. */
  export const IN: Readonly<
    Record<string, () => Promise<{ readonly SECTIONS: readonly Section[] }>>
  >
}
