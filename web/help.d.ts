/** The help for members, which the build makes from the guide (scripts/help.ts). */
declare module 'virtual:help' {
  export const SECTIONS: readonly {
    readonly id: string
    readonly heading: string
    readonly html: string
  }[]
}
