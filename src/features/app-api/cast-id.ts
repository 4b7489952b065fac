import type { AppContext } from '../../kernel/app-api/context.ts'
import { boundedParam, hashParam, invalid } from '../../kernel/app-api/params.ts'
import { wordParam } from '../../kernel/http/input/params.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { HASH_BYTES } from '../../kernel/protocol/sizes.ts'
import { castSlot } from '../../kernel/protocol/slots.ts'
import { findByName } from './user-routes.ts'

// How clients name a cast: by its hash, or by the url at which people read it.

export const identifierParam = boundedParam(512, 'The hash of a cast, or its url.')

export const identifierTypeParam = {
  ...wordParam(['hash', 'url']),
  description: 'What the identifier is.',
}

/** `../<username>/0x<8 to 40 hex digits>` */
const URL_OF_NAME = /\/([^/?#]+)\/0x([0-9a-fA-F]{8,40})\/?(?:[?#].*)?$/
/** `../0x<40 hex digits>` */
const URL_OF_HASH = /\/0x([0-9a-fA-F]{40})\/?(?:[?#].*)?$/

/** The key of the cast with this hash. Throws a Rejection unless exactly one is stored. */
export async function getKeyOfHash({ storage }: AppContext, hash: Uint8Array): Promise<Uint8Array> {
  const [key] = await storage.appViews.castKeysOfHash(hash)
  if (!key) throw notFound()
  return key
}

/** The key of the cast that an identifier names. Throws a Rejection when there is none. */
export async function getKey(
  context: AppContext,
  { identifier, type }: { identifier: string; type: 'hash' | 'url' },
): Promise<Uint8Array> {
  if (type === 'hash') return getKeyOfHash(context, hashParam.parse(identifier, 'identifier'))
  const [, name, prefix] = URL_OF_NAME.exec(identifier) ?? []
  if (name !== undefined && prefix !== undefined) {
    const fid = await fidOfName(context, name)
    if (fid !== undefined) return getKeyOfPrefix(context, fid, prefix)
  }
  const [, hash] = URL_OF_HASH.exec(identifier) ?? []
  if (hash !== undefined) return getKeyOfHash(context, fromHex(hash)!)
  if (name !== undefined) throw notFound()
  throw invalid('identifier', 'must be the url of a cast')
}

/** Users without a name have a fid in their place. */
async function fidOfName(context: AppContext, name: string): Promise<number | undefined> {
  const [, fid] = /^!([0-9]{1,10})$/.exec(name) ?? []
  return fid === undefined ? findByName(context, name.toLowerCase()) : Number(fid)
}

async function getKeyOfPrefix(
  { storage }: AppContext,
  fid: number,
  digits: string,
): Promise<Uint8Array> {
  const rest = HASH_BYTES * 2
  const first = castSlot(fid, fromHex(digits.padEnd(rest, '0'))!)
  const last = castSlot(fid, fromHex(digits.padEnd(rest, 'f'))!)
  const [key, second] = await storage.appViews.castKeysBetween(first, last)
  if (!key || second) throw notFound()
  return key
}

const notFound = () => new Rejection('not_found', 'no such cast is stored')
