import type { Command } from 'commander'
import { WEB_KEY } from '../../kernel/app-api/given-keys.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { getJson } from '../client.ts'
import { Failure } from '../failure.ts'
import { at } from './network.ts'

/** An account that was named in an argument; `resolveArguments` replaces it by a fid. */
export class PersonName {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A cast that was named without its author; `resolveArguments` replaces it by its id. */
export class CastHash {
  readonly hash: Uint8Array
  /** The link that named it: it stays a URL where no such cast is known. */
  readonly url: string | undefined

  constructor(hash: Uint8Array, url?: string) {
    this.hash = hash
    this.url = url
  }
}

type Servers = { readonly hub: string; readonly app: string }

/** Replaces names in the arguments and options of a command by fids, and hashes and links of casts by ids. */
export async function resolveArguments(command: Command, defaults: Servers): Promise<void> {
  const servers: Servers = { ...defaults, ...command.opts() }
  const found = new Map<string, number>()
  const resolve = async (value: unknown): Promise<unknown> => {
    if (value instanceof PersonName) {
      const fid = found.get(value.name) ?? (await fidOfName(servers.hub, value.name))
      found.set(value.name, fid)
      return fid
    }
    if (value instanceof CastHash) return idOfHash(servers, value)
    if (Array.isArray(value)) return Promise.all(value.map(resolve))
    if (isCastOfPerson(value)) return { ...value, fid: await resolve(value.fid) }
    return value
  }
  command.processedArgs = await Promise.all(command.processedArgs.map(resolve))
  for (const [key, value] of Object.entries(command.opts())) {
    const source = command.getOptionValueSource(key)
    command.setOptionValueWithSource(key, await resolve(value), source)
  }
}

/** Reads the author from the app API with its public key. */
async function idOfHash(servers: Servers, { hash, url }: CastHash) {
  const { app, hub } = servers
  const path = `/v2/farcaster/cast?type=hash&identifier=${toHex(hash)}`
  const found = await getJson(at(app, path), { 'x-api-key': WEB_KEY })
  if (found) return { fid: found.cast.author.fid, hash }
  const isElsewhere = url && [app, hub].every((one) => hostOf(one) !== hostOf(url))
  if (isElsewhere) return { url }
  throw new Failure(`${app} has no cast ${toHex(hash)}`)
}

const hostOf = (url: string) => URL.parse(url)?.hostname

const isCastOfPerson = (value: unknown): value is { fid: PersonName } =>
  typeof value === 'object' && value !== null && 'fid' in value && value.fid instanceof PersonName

export async function fidOfName(hub: string, name: string): Promise<number> {
  const proof = await findProof(hub, name)
  if (proof) return proof.fid
  throw new Failure(`no account on ${hub} has the name "${name}"`)
}

/** The proof of a name; undefined when no account has it. */
export const findProof = (hub: string, name: string): Promise<{ fid: number } | undefined> =>
  getJson(at(hub, `/v1/userNameProofByName?name=${encodeURIComponent(name)}`))
