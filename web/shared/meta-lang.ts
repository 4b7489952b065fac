/** Of a text in the head of the page: its language, where that is another one than the page's. */
export const metaLang = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="rookery-${name}"]`)?.lang || undefined
