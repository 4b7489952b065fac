import type { CastId } from '../../kernel/protocol/kinds/reaction.ts'
import { castSlot } from '../../kernel/protocol/slots.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import { mirrorRows } from './tables/mirror.ts'

// What a mirror of chosen people does not have.

/** `outside`: nothing; `context`: the profile and casts that others refer to; `frozen`: nothing new. */
export type PersonScope = 'outside' | 'context' | 'frozen'

/** How little of a person is mirrored; undefined when everything is, and on servers that mirror nobody. */
export async function scopeOf(
  reader: Pick<Reader, 'of'>,
  fid: number,
): Promise<PersonScope | undefined> {
  const mirror = reader.of(mirrorRows)
  const [[person], rules] = await Promise.all([mirror.fids([fid]), mirror.rules()])
  if (person?.state === 'context' || person?.state === 'frozen') return person.state
  const isPartial = rules.length > 0 && !rules.some(({ kind }) => kind === 'all')
  const isThere = person !== undefined && person.state !== 'erasing'
  return isPartial && !isThere ? 'outside' : undefined
}

/** Whether this server mirrors some people, and not the cast that another one answers. */
export async function isNotMirrored(
  reader: Pick<Reader, 'of' | 'messages'>,
  { fid, hash }: CastId,
): Promise<boolean> {
  const [rules, stored] = await Promise.all([
    reader.of(mirrorRows).rules(),
    reader.messages.bySlots([castSlot(fid, hash)]),
  ])
  return rules.length > 0 && stored.length === 0
}
