import { declared } from './parts/declared.tsx'

type Shown = {
  readonly variable: string
  readonly title: string
  readonly help?: string
  readonly unit?: string
  readonly choices?: readonly { readonly value: string; readonly words: string }[]
}

/** A setting that the owner changes here, in the language of the page: the server tells of it in English. */
export function translated<S extends Shown>(setting: S): S {
  const { title, help, unit, choices } = setting
  return {
    ...setting,
    title: declared(title),
    ...(help && { help: declared(help) }),
    ...(unit && { unit: declared(unit) }),
    ...(choices && {
      choices: choices.map(({ value, words }) => ({ value, words: declared(words) })),
    }),
  }
}
