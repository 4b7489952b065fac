import { randomBytes, randomUUID } from 'node:crypto'
import type { SigningPort, WritingKey } from '../../kernel/app-api/ports.ts'
import { inFieldsOf } from '../../kernel/app-api/refusals.ts'
import { type Secrets, unreadableSecret } from '../../kernel/app-api/secrets.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { publicKeyOf, SEED_BYTES } from '../../kernel/protocol/crypto/ed25519.ts'
import { GASLESS_SCOPES } from '../../kernel/protocol/kinds/gasless-key.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import { gaslessKeyTerms } from '../../kernel/storage/reads/gasless-keys.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { isExpired, keyRequestRows } from '../key-requests/port.ts'
import type { KeyRequest, KeyRequestCalls } from './ports.ts'
import { signerOwner } from './sealed-signers.ts'
import { type AppSigner, appSignerRows } from './tables/app-signers.ts'

/** Signers that one app may have. */
const MAX_SIGNERS_PER_APP = 10_000
/** A signer without an approval is forgotten after this time. */
const UNAPPROVED_DAYS = 30
const SIGNERS_PER_READ = 500

type SignersContext = {
  readonly storage: Storage
  readonly platform: Omit<KeyRequestCalls, 'approvalUrl'>
  readonly secrets: Secrets
  /** Unix seconds. */
  readonly now: () => number
}

export type SignedKey = Omit<KeyRequest, 'key'>

/** The signers of apps. The secret of a managed signer is kept by the server, that of any other by the app. */
export class Signers implements SigningPort {
  readonly #context: SignersContext

  constructor(context: SignersContext) {
    this.#context = context
  }

  /** Makes a key whose secret the server keeps. */
  async create(app: string): Promise<AppSigner> {
    const { storage, secrets, now } = this.#context
    const seed = randomBytes(SEED_BYTES)
    const uuid = randomUUID()
    const public_key = publicKeyOf(seed)
    const secret = await secrets.seal(seed, signerOwner({ uuid, public_key }))
    const signer: AppSigner = {
      ...{ uuid, app, public_key, managed: 1, status: 'generated', fid: null },
      ...{ secret, request: null, created_at: now(), changed_at: now() },
    }
    await storage.write('hub', async (tx) => {
      await checkRoom(tx, app)
      await tx.of(appSignerRows).insert(signer)
    })
    return signer
  }

  /** Asks a user to approve the key. */
  async register(app: string, uuid: string, signed: SignedKey): Promise<AppSigner> {
    const { storage, now } = this.#context
    const known = await this.get(app, uuid)
    checkOpen(known)
    const request = await this.#createRequest({ ...signed, key: toHex(known.public_key) })
    return storage.write('hub', async (tx) => {
      const before = await tx.of(appSignerRows).byUuid(uuid)
      if (!before) throw unknownSigner('signer_uuid')
      // It may have been approved in the meantime.
      checkOpen(before)
      const signer = { ...before, status: 'pending_approval', request, changed_at: now() } as const
      await tx.of(appSignerRows).put([signer])
      return signer
    })
  }

  /** Asks a user to approve a key whose secret the app keeps. */
  async registerOwn(app: string, key: Uint8Array, signed: SignedKey): Promise<AppSigner> {
    const { storage, now } = this.#context
    const known = await storage.of(appSignerRows).byKey(app, key)
    if (known) checkOpen(known)
    const request = await this.#createRequest({ ...signed, key: toHex(key) })
    return storage.write('hub', async (tx) => {
      const before = await tx.of(appSignerRows).byKey(app, key)
      if (before) checkOpen(before)
      else await checkRoom(tx, app)
      const signer: AppSigner = {
        ...(before ?? {
          ...{ uuid: randomUUID(), app, public_key: key, managed: 0, fid: null, secret: null },
          created_at: now(),
        }),
        ...{ status: 'pending_approval', request, changed_at: now() },
      }
      await tx.of(appSignerRows).put([signer])
      return signer
    })
  }

  /** A signer whose secret the server keeps. The signers of other apps are unknown to an app. */
  async get(app: string, uuid: string): Promise<AppSigner> {
    const signer = await this.#context.storage.of(appSignerRows).byUuid(uuid)
    if (signer?.app !== app || signer.managed !== 1) throw unknownSigner('signer_uuid')
    return signer
  }

  /** A signer whose secret the app keeps, by its key. */
  async getByKey(app: string, key: Uint8Array): Promise<AppSigner> {
    const signer = await this.#context.storage.of(appSignerRows).byKey(app, key)
    if (signer?.managed !== 0) throw unknownSigner('public_key')
    return signer
  }

  /** The state for apps: a signer whose request cannot be approved any more is revoked, which ends their polling. */
  async statusOf(signer: AppSigner): Promise<AppSigner['status']> {
    if (signer.status !== 'pending_approval' || signer.request === null) return signer.status
    const { storage, now } = this.#context
    const request = await storage.of(keyRequestRows).byToken(fromHex(signer.request)!)
    const isRefused = request?.state === 'denied' || request?.state === 'failed'
    return !request || isRefused || isExpired(request, now()) ? 'revoked' : signer.status
  }

  /** The key to write with. Throws a Rejection unless it is the app's and approved. */
  async writingKey(app: string, uuid: string): Promise<WritingKey> {
    const found = await this.get(app, uuid)
    const signer = found.status === 'approved' ? found : await this.followed(found)
    const { status, fid, secret } = signer
    if (status !== 'approved' || fid === null || secret === null) {
      throw new Rejection('unauthorized', `the signer is ${status}, not approved`, {
        field: 'signer_uuid',
      })
    }
    const seed = this.#context.secrets.open(secret, signerOwner(signer))
    if (seed) return { fid, seed }
    throw unreadableSecret('make a new signer and have it approved', 'signer_uuid')
  }

  /**
   * The signer with what the hub has done to its gasless key, which no on-chain event tells: approved once the key is there,
   * and revoked once it was removed or has expired.
   */
  async followed(signer: AppSigner): Promise<AppSigner> {
    const { storage, now } = this.#context
    const after = await this.#afterHub(signer)
    if (after === signer) return signer
    return storage.write('hub', async (tx) => {
      const before = await tx.of(appSignerRows).byUuid(signer.uuid)
      if (before?.status !== signer.status || before.request !== signer.request) {
        return before ?? signer
      }
      const changed = { ...after, changed_at: now() }
      await tx.of(appSignerRows).put([changed])
      return changed
    })
  }

  /** Follows the signers that wait for a gasless key, before the requests are forgotten that say so. */
  async followWaiting(): Promise<void> {
    const appSigners = this.#context.storage.of(appSignerRows)
    const keyRequests = this.#context.storage.of(keyRequestRows)
    for (let after = ''; ; ) {
      const signers = await appSigners.waiting(after, SIGNERS_PER_READ)
      const requests = await keyRequests.byTokens(signers.map(({ request }) => fromHex(request!)!))
      const asked = new Set(
        requests.flatMap(({ token, scopes }) => (scopes === null ? [] : toHex(token))),
      )
      for (const signer of signers) if (asked.has(signer.request!)) await this.followed(signer)
      if (signers.length < SIGNERS_PER_READ) return
      after = signers.at(-1)!.uuid
    }
  }

  async #afterHub(signer: AppSigner): Promise<AppSigner> {
    const { platform } = this.#context
    if (signer.status === 'pending_approval' && signer.request !== null) {
      const request = await platform.keyRequest(signer.request)
      const isThere = request?.state === 'completed' && request.scopes !== null
      return isThere ? { ...signer, status: 'approved', fid: request.user_fid } : signer
    }
    if (signer.status !== 'approved' || (await this.#scopesOf(signer))) return signer
    return { ...signer, status: 'revoked', secret: null }
  }

  /** Whether an approved key may sign every type of message; a gasless one may be limited. */
  async mayWriteAll(signer: AppSigner): Promise<boolean> {
    const scopes = await this.#scopesOf(signer)
    return scopes === ALL_TYPES || (scopes !== undefined && GASLESS_SCOPES.isSubsetOf(scopes))
  }

  /** What the key of an approved signer may sign now; undefined if it was removed or has expired. */
  async #scopesOf({ fid, public_key: key }: AppSigner): Promise<ReadonlySet<number> | undefined> {
    const { storage, now } = this.#context
    if ((await storage.accounts.signer(fid!, key))?.active) return ALL_TYPES
    const rows = await storage.gaslessKeys.ofKeys([key])
    const [found] = await gaslessKeyTerms(storage, rows)
    const isActive = found?.row.fid === fid && found.expiresAt >= now()
    return isActive ? new Set<number>(found.scopes) : undefined
  }

  /** Deletes signers that were not approved for a long time. Returns how many. */
  deleteExpired(limit: number): Promise<number> {
    const before = this.#context.now() - UNAPPROVED_DAYS * DAY_SECONDS
    return this.#context.storage.write('hub', (tx) => tx.of(appSignerRows).forget(before, limit))
  }

  #createRequest(request: KeyRequest): Promise<string> {
    return inFieldsOf(FIELDS, () => this.#context.platform.createKeyRequest(request))
  }
}

async function checkRoom({ of }: Pick<Writer, 'of'>, app: string): Promise<void> {
  if ((await of(appSignerRows).count(app)) < MAX_SIGNERS_PER_APP) return
  throw new Rejection('bad_request.conflict', `the app has ${MAX_SIGNERS_PER_APP} signers`)
}

function checkOpen({ status }: AppSigner): void {
  if (status === 'generated' || status === 'pending_approval') return
  throw new Rejection('bad_request.conflict', `the signer is ${status} already`)
}

const unknownSigner = (field: string) =>
  new Rejection('not_found', 'this app has no such signer', { field })

/** Of a key that a call of the accounts added. */
const ALL_TYPES: ReadonlySet<number> = new Set()

/** The platform's fields as this interface calls them. */
const FIELDS = {
  key: 'public_key',
  requestFid: 'app_fid',
  deadline: 'deadline',
  signature: 'signature',
  redirectUrl: 'redirect_url',
  sponsorship: 'sponsor',
  'sponsorship.sponsorFid': 'sponsor.fid',
  'sponsorship.signature': 'sponsor.signature',
  'gasless.scopes': 'gasless.scopes',
  'gasless.ttl': 'gasless.ttl',
}
