// What the server writes into the head of a page. Tests run modules of the pages without one.

type Head = {
  readonly documentElement: { readonly lang: string }
  querySelector(selector: string): { readonly content?: string } | null
}
const { document } = globalThis as { document?: Head }

export const metaOf = (name: string): string =>
  document?.querySelector(`meta[name="rookery-${name}"]`)?.content ?? ''

/** The language of the page, in which dates, numbers and plurals are written too. */
export const language: string = document?.documentElement.lang || 'en'

/** For `Intl`. English has its dates as most of the world writes them: 30 Nov 2026. */
export const locale: string = language === 'en' ? 'en-GB' : language
