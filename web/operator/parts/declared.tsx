import { DECLARED } from '../generated/declared.ts'

/** What the server declares in English, in the language of the page. */
export const declared = (english: string): string => DECLARED[english] ?? english

/** The same as an element, which says where it is in English. */
export const Declared = ({ text }: { text: string }) =>
  Object.hasOwn(DECLARED, text) ? <bdi>{DECLARED[text]}</bdi> : <bdi lang="en">{text}</bdi>
