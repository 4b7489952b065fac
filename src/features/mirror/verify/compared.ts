import type { Clock } from '../../../kernel/base/clock.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import { SOON_MS } from '../apply.ts'
import { waitUntilApplied } from '../catch-up.ts'
import { parseAddresses, parseHeader, type SourceAddress } from '../settings.ts'
import { GrpcError } from '../source/grpc-client.ts'
import { type Source, SourceRefusedError } from '../source/source.ts'
import { mirrorRows } from '../tables/mirror.ts'
import type { VerifyParts } from './verify-person.ts'

// With which hub what is stored here is compared.

/** A hub to compare with. */
export type OtherHub = {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What is stored here. */
type Here = { readonly storage: Storage; readonly clock: Clock }

/** The hub that is mirrored. */
export async function comparedWithSource(
  { storage, clock }: Here,
  source: Source,
): Promise<VerifyParts> {
  const row = await storage.of(mirrorRows).source()
  if (!row) throw new Rejection('unavailable', 'the source was not reached yet')
  const { kind, shards } = row
  const settle = settling({ storage, source, kind }, clock)
  return { storage, source, kind, shards, settle }
}

/** Another hub of the same network. Of two Snapchains the blocks are the same; other hubs are given a moment. */
export async function comparedWith(
  { storage, clock }: Here,
  { url, headers = {} }: OtherHub,
  open: (address: SourceAddress, headers: Readonly<Record<string, string>>) => Source,
): Promise<VerifyParts & { close(): void }> {
  const source = open(addressOf(url), headersOf(headers))
  try {
    const { kind, shards } = await source.info()
    const mirrored = await storage.of(mirrorRows).source()
    const areBlocksSame = kind === 'snapchain' && mirrored?.kind === kind
    const waiting = { storage, source, kind: areBlocksSame ? kind : 'hubble' } as const
    const settle = settling(waiting, clock)
    return { storage, source, kind, shards: shards.length, settle, close: () => source.close() }
  } catch (error) {
    source.close()
    throw asRejection(error, source.host)
  }
}

/** Waits for events, and returns false as well when an event has left open what it removed: the person is compared next. */
const settling =
  (parts: Parameters<typeof waitUntilApplied>[0], clock: Clock): VerifyParts['settle'] =>
  async (fid) => {
    if (!(await waitUntilApplied(parts, fid))) return false
    const [row] = await parts.storage.of(mirrorRows).fids([fid])
    return row === undefined || row.read_at === 0 || row.due_at > clock.now() + SOON_MS
  }

/** What a hub that cannot be asked means for who asked to compare. */
export function asRejection(error: unknown, host: string): unknown {
  if (error instanceof SourceRefusedError) return new Rejection('unavailable', error.message)
  if (!(error instanceof GrpcError)) return error
  return new Rejection('unavailable', `${host} does not answer (${error.message})`)
}

function addressOf(url: string): SourceAddress {
  const [address, ...others] = inField('url', () => parseAddresses(url))
  if (address && others.length === 0) return address
  throw new Rejection('bad_request.invalid_param', 'url must be one address', { field: 'url' })
}

const headersOf = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      inField('headers', () => parseHeader(`${name}=${value}`)),
    ),
  )

function inField<T>(field: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new Rejection('bad_request.invalid_param', `${field} ${(error as Error).message}`, {
      field,
    })
  }
}
