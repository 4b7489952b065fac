import { metaOf } from './meta.ts'

const later = metaOf('texts')

/**
 * Settles when the texts of what is loaded later are there, so that its modules may use them as they run; in English at once.
 * The build (scripts/messages.ts) has every part wait for it. Without a connection they stay English.
 */
export const texts: Promise<unknown> =
  later === '' ? Promise.resolve() : import(/* @vite-ignore */ later).catch(() => {})
