import type { SealedRows } from '../../kernel/storage/sealed-rows.ts'
import { translatorRows } from './tables/translators.ts'

/** What the sealed key is bound to. */
export const TRANSLATOR_OWNER = [Buffer.from('translator')]

/** The key for the translator, which is off without it. */
export const sealedTranslator: SealedRows = {
  async read({ of }, after) {
    const row = await of(translatorRows).get()
    if (!row || row.secret.length === 0 || row.name <= after) return []
    return [{ id: row.name, secret: row.secret, owner: TRANSLATOR_OWNER }]
  },
  async giveUp({ write }) {
    await write('hub', (tx) => tx.of(translatorRows).remove())
  },
}
