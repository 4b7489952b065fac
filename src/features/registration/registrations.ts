import { randomUUID } from 'node:crypto'
import type { Ledger } from '../../kernel/accounts/ledger.ts'
import type { CallResult } from '../../kernel/accounts/port.ts'
import {
  registerTypedData,
  transferTypedData,
} from '../../kernel/accounts/signatures/typed-data.ts'
import type { Secrets } from '../../kernel/app-api/secrets.ts'
import { signTypedData } from '../../kernel/protocol/crypto/eip712.ts'
import { addressOfPrivateKey } from '../../kernel/protocol/crypto/secp256k1.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { AppFid } from './tables/app-fids.ts'
import { appFidRows } from './tables/app-fids.ts'

/** Where accounts are kept by this server. */
export type Registrations = Pick<Ledger, 'forUsers' | 'recoverIf' | 'fidOf' | 'settings'>

type Context = {
  readonly storage: Storage
  readonly secrets: Secrets
  readonly registrations: Registrations | undefined
  /** Unix seconds. */
  readonly now: () => number
}

/** What a user signs to receive a fid: the Transfer of the IdRegistry. */
export type Receipt = {
  readonly fid: number
  readonly to: Uint8Array
  readonly deadline: bigint
  readonly signature: Uint8Array
}

/** How long an app may take until its user has signed; the deployed API gives as long. */
const RESERVED_SECONDS = 600
/** Fids that wait for users: of all apps, and reserved at a time by one. */
const MAX_WAITING = 1_000
const MAX_RESERVED_BY_APP = 100
const NO_ADDRESS = new Uint8Array(20)

/**
 * Fids that the server registers for itself and gives to new users of apps. Each has a custody address of its own, whose
 * key is derived from the key that seals secrets. A fid that no user has taken is reserved again, so that asking for fids
 * registers a bounded number.
 */
export class FidStock {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Reserves a fid for a user of the app. */
  async reserve(app: string): Promise<number> {
    const { storage } = this.#context
    const row = await this.#take(app)
    if (row.fid !== null && (await this.#isOurs(row))) return row.fid
    if (row.fid !== null) {
      // It was given away by a process that was killed before it removed the row.
      await storage.write('hub', (tx) => tx.of(appFidRows).remove(row.id))
      return this.reserve(app)
    }
    try {
      const fid = await this.#register(row)
      await storage.write('hub', (tx) => tx.of(appFidRows).put({ ...row, fid }))
      return fid
    } catch (error) {
      await storage.write('hub', (tx) => tx.of(appFidRows).remove(row.id))
      throw error
    }
  }

  /** Gives a reserved fid to the user who signed for it. */
  async give(app: string, { fid, to, deadline, signature }: Receipt): Promise<CallResult> {
    const { storage, now } = this.#context
    const row = await storage.of(appFidRows).byFid(fid)
    if (row?.app !== app || row.reserved_until < now()) throw notReserved(fid)
    const { forUsers, settings } = this.#ledger()
    const key = await this.#keyOf(row)
    const from = addressOfPrivateKey(key)
    const nonce = await forUsers.nonce('idRegistry', from)
    const fromDeadline = BigInt(now() + RESERVED_SECONDS)
    const terms = { fid, to, nonce, deadline: fromDeadline }
    const fromSignature = signTypedData(transferTypedData(settings.domains, terms), key)
    const ours = { from, fromDeadline, fromSignature }
    const call = { ...ours, to, toDeadline: deadline, toSignature: signature }
    const result = await forUsers.transferFor(call)
    await storage.write('hub', (tx) => tx.of(appFidRows).remove(row.id))
    return result
  }

  /** A row whose reservation has ended, or a new one without a fid. */
  #take(app: string): Promise<AppFid> {
    const { storage, now } = this.#context
    this.#ledger()
    return storage.write('hub', async (tx) => {
      if ((await tx.of(appFidRows).reservedBy(app, now())) >= MAX_RESERVED_BY_APP)
        throw full('this app')
      const free = await tx.of(appFidRows).free(now())
      if (!free && (await tx.of(appFidRows).count()) >= MAX_WAITING) throw full('all apps together')
      const row = { id: randomUUID(), fid: null, ...free, app }
      const reserved = { ...row, reserved_until: now() + RESERVED_SECONDS }
      await tx.of(appFidRows).put(reserved)
      return reserved
    })
  }

  async #isOurs(row: AppFid): Promise<boolean> {
    const address = addressOfPrivateKey(await this.#keyOf(row))
    return (await this.#ledger().fidOf(address)) === row.fid
  }

  /** The fid of a row, which a process that was killed may have registered already. */
  async #register(row: AppFid): Promise<number> {
    const { forUsers, fidOf, settings } = this.#ledger()
    const key = await this.#keyOf(row)
    const to = addressOfPrivateKey(key)
    const found = await fidOf(to)
    if (found !== undefined) return found
    const nonce = await forUsers.nonce('idGateway', to)
    const deadline = BigInt(this.#context.now() + RESERVED_SECONDS)
    const terms = { to, recovery: NO_ADDRESS, nonce, deadline }
    const signature = signTypedData(registerTypedData(settings.domains, terms), key)
    const call = { to, recovery: NO_ADDRESS, deadline, signature, extraStorage: 0 }
    return (await forUsers.registerFor({ ...call, invite: undefined })).fid
  }

  #keyOf({ id }: AppFid): Promise<Uint8Array> {
    return this.#context.secrets.derive(`custody address of fids for apps ${id}`)
  }

  #ledger(): Registrations {
    return ledgerOf(this.#context)
  }
}

/** Throws where accounts are followed from a chain, on which registering costs gas. */
export function ledgerOf({ registrations }: Pick<Context, 'registrations'>): Registrations {
  if (registrations) return registrations
  const message = 'accounts here are those of a chain: users register with its contracts'
  throw new Rejection('not_supported', message)
}

const notReserved = (fid: number) =>
  new Rejection('not_found', `fid ${fid} is not reserved for this app; ask for one again`, {
    field: 'fid',
  })

const full = (whose: string) =>
  new Rejection('unavailable.overloaded', `${whose} reserved too many fids; wait ten minutes`, {
    retryAfterSeconds: RESERVED_SECONDS,
  })
