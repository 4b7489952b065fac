import { equalBytes } from '../../kernel/protocol/codec/bytes.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'
import { LINK_PURPOSES, type MailAddress, mailAddressRows } from './tables/addresses.ts'
import { mailRows } from './tables/mails.ts'

// An address counts while the account belongs to who has named it. One that an earlier owner has left, such as while this server sent no
// mail, is as if there were none: the present owner does not read it, and its reader decides about nothing.

/** The address of an account. */
export async function presentAddress(
  reader: Pick<Reader, 'of' | 'accounts'>,
  fid: number,
): Promise<MailAddress | undefined> {
  return (await presentAddresses(reader, [fid]))[0]
}

/** The addresses of those of the accounts that have one, in no order. */
export async function presentAddresses(
  { of, accounts }: Pick<Reader, 'of' | 'accounts'>,
  fids: readonly number[],
): Promise<MailAddress[]> {
  const rows = await of(mailAddressRows).ofFids(fids)
  const custodies = await accounts.custodies(rows.map(({ fid }) => fid))
  const owners = new Map(custodies.map(({ fid, address }) => [fid, address]))
  return rows.filter(({ fid, custody }) => {
    const owner = owners.get(fid)
    return owner && equalBytes(custody, owner)
  })
}

/** The address of an account, in a transaction under the locks of `changeLocks`. One that does not count is deleted. */
export async function takePresentAddress(
  tx: Writer,
  fid: number,
): Promise<MailAddress | undefined> {
  const present = await presentAddress(tx, fid)
  if (present) return present
  const left = await tx.of(mailAddressRows).find(fid)
  if (left) await forgetAddress(tx, left)
  return undefined
}

/** Whose address this is. */
export async function holderOf(
  reader: Pick<Reader, 'of' | 'accounts'>,
  address: string,
): Promise<MailAddress | undefined> {
  const row = await reader.of(mailAddressRows).byAddress(address)
  return row && presentAddress(reader, row.fid)
}

/** The same under the locks of `changeLocks`: an address that does not count keeps nobody else from it. */
export async function takeHolder(tx: Writer, address: string): Promise<MailAddress | undefined> {
  const row = await tx.of(mailAddressRows).byAddress(address)
  return row && takePresentAddress(tx, row.fid)
}

/** Deletes an address, with the change and the mails that wait and its links; of others the link that confirms their own stays. */
export async function forgetAddress(tx: Writer, { fid, address, custody }: MailAddress) {
  const rows = tx.of(mailAddressRows)
  await rows.remove(fid)
  await rows.removeChange(fid)
  for (const purpose of LINK_PURPOSES) await rows.removeLinks(fid, purpose, custody)
  await tx.of(mailRows).removeOf(fid, address)
}
