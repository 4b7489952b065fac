import type { SealedRows } from '../../kernel/storage/sealed-rows.ts'
import { mailServerRows } from './tables/servers.ts'

/** What the sealed password is bound to. */
export const MAIL_SERVER_OWNER = [Buffer.from('mail server')]

/** The password of the mail server, which is used no more without it. */
export const sealedMailServer: SealedRows = {
  async read({ of }, after) {
    const row = await of(mailServerRows).get()
    if (!row || row.secret.length === 0 || row.name <= after) return []
    return [{ id: row.name, secret: row.secret, owner: MAIL_SERVER_OWNER }]
  },
  async giveUp({ write }) {
    await write('hub', (tx) => tx.of(mailServerRows).remove())
  },
}
