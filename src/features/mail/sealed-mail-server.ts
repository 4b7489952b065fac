import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { SealedRows } from '../../kernel/storage/sealed-rows.ts'
import { type MailServerRow, mailServerRows } from './tables/servers.ts'

/** What the sealed password is bound to. */
export const MAIL_SERVER_OWNER = [Buffer.from('mail server')]

/** Another password that is set up meanwhile is not given up. */
const idOf = ({ secret }: Pick<MailServerRow, 'secret'>): string => toHex(secret)

/** The password of the mail server, which is used no more without it. */
export const sealedMailServer: SealedRows = {
  async read({ of }, after) {
    const row = await of(mailServerRows).get()
    if (!row || row.secret.length === 0 || idOf(row) <= after) return []
    return [{ id: idOf(row), secret: row.secret, owner: MAIL_SERVER_OWNER }]
  },
  async giveUp({ write }, ids) {
    await write('hub', async ({ of }) => {
      const row = await of(mailServerRows).get()
      if (row && ids.includes(idOf(row))) await of(mailServerRows).remove()
    })
  },
}
