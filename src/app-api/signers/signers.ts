import { randomUUID } from 'node:crypto'
import { fromHex, toHex } from '../../protocol/codec/bytes.ts'
import { PUBLIC_KEY_BYTES, publicKeyOf, SEED_BYTES } from '../../protocol/crypto/ed25519.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { Storage, Writer } from '../../storage/storage.ts'
import type { AppSigner } from '../../storage/tables/apps.ts'
import { isExpired } from '../../storage/tables/key-requests.ts'
import type { KeyRequest, PlatformPort } from '../ports.ts'
import { signerOwner } from './sealing.ts'
import { type Secrets, unreadableSecret } from './secrets.ts'

/** Signers that one app may have. */
const MAX_SIGNERS_PER_APP = 10_000
/** A signer without an approval is forgotten after this time. */
const UNAPPROVED_DAYS = 30
const DAY_SECONDS = 24 * 3_600
const MAX_FORGOTTEN = 1_000

export type SignersContext = {
  readonly storage: Storage
  readonly platform: Pick<PlatformPort, 'createKeyRequest' | 'approvalUrl'>
  readonly secrets: Secrets
  readonly randomBytes: (size: number) => Uint8Array
  /** Unix seconds. */
  now(): number
}

/** A key with which the server writes for a user. */
export type WritingKey = { readonly fid: number; readonly seed: Uint8Array }

export type SignedKey = Omit<KeyRequest, 'key'>

export type Signers = ReturnType<typeof createSigners>

/** The keys of an app's users: those that the server keeps, and those that the app keeps itself. */
export function createSigners(context: SignersContext) {
  const { storage, platform, secrets, randomBytes, now } = context

  /** Of the same app only: the signers of others do not exist for it. */
  const getOwn = async (app: string, uuid: string): Promise<AppSigner> => {
    const signer = await storage.appSigners.byUuid(uuid)
    if (signer?.app !== app || signer.managed !== 1) throw unknownSigner('signer_uuid')
    return signer
  }

  const insert = (signer: AppSigner) =>
    storage.write('hub', async (tx) => {
      await checkRoom(tx, signer.app)
      await tx.appSigners.insert(signer)
    })

  /** Creates the request and notes it on the signer, which must not have been approved meanwhile. */
  const request = async (uuid: string, key: Uint8Array, signed: SignedKey): Promise<AppSigner> => {
    const token = await createRequest({ ...signed, key: toHex(key) })
    return storage.write('hub', async (tx) => {
      const signer = await tx.appSigners.byUuid(uuid)
      if (!signer) throw unknownSigner('signer_uuid')
      checkOpen(signer)
      const changed: AppSigner = {
        ...signer,
        status: 'pending_approval',
        request: token,
        changed_at: now(),
      }
      await tx.appSigners.put([changed])
      return changed
    })
  }

  const createRequest = async (request: KeyRequest): Promise<string> => {
    try {
      return await platform.createKeyRequest(request)
    } catch (error) {
      throw error instanceof Rejection ? inOurWords(error) : error
    }
  }

  return {
    /** Makes a key whose secret the server keeps. */
    async create(app: string): Promise<AppSigner> {
      const seed = randomBytes(SEED_BYTES)
      const uuid = randomUUID()
      const public_key = publicKeyOf(seed)
      const secret = await secrets.seal(seed, signerOwner({ uuid, public_key }))
      const signer: AppSigner = {
        ...{ uuid, app, public_key, managed: 1, status: 'generated', fid: null },
        ...{ secret, request: null, created_at: now(), changed_at: now() },
      }
      await insert(signer)
      return signer
    },
    /** Asks a user to approve the key. */
    async register(app: string, uuid: string, signed: SignedKey): Promise<AppSigner> {
      const signer = await getOwn(app, uuid)
      checkOpen(signer)
      return request(uuid, signer.public_key, signed)
    },
    /** Asks a user to approve a key whose secret the app keeps. */
    async registerOwn(app: string, key: Uint8Array, signed: SignedKey): Promise<AppSigner> {
      const known = await storage.appSigners.byKey(app, key)
      if (known) checkOpen(known)
      const token = await createRequest({ ...signed, key: toHex(key) })
      return storage.write('hub', async (tx) => {
        const before = (await tx.appSigners.byKey(app, key)) ?? {
          ...{ uuid: randomUUID(), app, public_key: key, managed: 0, fid: null, secret: null },
          created_at: now(),
        }
        if ('status' in before) checkOpen(before)
        else await checkRoom(tx, app)
        const signer: AppSigner = {
          ...before,
          managed: before.managed === 1 ? 1 : 0,
          status: 'pending_approval',
          request: token,
          changed_at: now(),
        }
        await tx.appSigners.put([signer])
        return signer
      })
    },
    get: getOwn,
    /** A signer whose secret the app keeps, by its key. */
    async getByKey(app: string, key: Uint8Array): Promise<AppSigner> {
      const signer = await storage.appSigners.byKey(app, key)
      if (signer?.managed !== 0) throw unknownSigner('public_key')
      return signer
    },
    /** The state as apps see it: a request that cannot be approved any more ends what polls for it. */
    async statusOf(signer: AppSigner): Promise<AppSigner['status']> {
      if (signer.status !== 'pending_approval' || signer.request === null) return signer.status
      const request = await storage.keyRequests.byToken(fromHex(signer.request)!)
      const isRefused = request?.state === 'denied' || request?.state === 'failed'
      return !request || isRefused || isExpired(request, now()) ? 'revoked' : signer.status
    },
    /** The key to write with. Throws a Rejection unless it is the app's and approved. */
    async writingKey(app: string, uuid: string): Promise<WritingKey> {
      const signer = await getOwn(app, uuid)
      const { status, fid, secret } = signer
      if (status !== 'approved' || fid === null || secret === null) {
        throw new Rejection('unauthorized', `the signer is ${status}, not approved`, {
          field: 'signer_uuid',
        })
      }
      const seed = secrets.open(secret, signerOwner(signer))
      if (seed) return { fid, seed }
      throw unreadableSecret('make a new signer and have it approved', 'signer_uuid')
    },
    /** Deletes signers that were not approved for a long time. */
    async forget(): Promise<void> {
      const before = now() - UNAPPROVED_DAYS * DAY_SECONDS
      let forgotten: number
      do {
        forgotten = await storage.write('hub', (tx) => tx.appSigners.forget(before, MAX_FORGOTTEN))
      } while (forgotten === MAX_FORGOTTEN)
    },
  }
}

async function checkRoom({ appSigners }: Pick<Writer, 'appSigners'>, app: string): Promise<void> {
  if ((await appSigners.count(app)) < MAX_SIGNERS_PER_APP) return
  throw new Rejection('bad_request.conflict', `the app has ${MAX_SIGNERS_PER_APP} signers`)
}

function checkOpen({ status }: AppSigner): void {
  if (status === 'generated' || status === 'pending_approval') return
  const text = `the signer is ${status} already`
  throw new Rejection('bad_request.conflict', text)
}

const unknownSigner = (field: string) =>
  new Rejection('not_found', 'this app has no such signer', { field })

/** The platform's fields as this interface calls them. */
const FIELDS: Readonly<Record<string, string>> = {
  key: 'public_key',
  requestFid: 'app_fid',
  redirectUrl: 'redirect_url',
  sponsorship: 'sponsor',
  'sponsorship.sponsorFid': 'sponsor.fid',
  'sponsorship.signature': 'sponsor.signature',
}

function inOurWords(refused: Rejection): Rejection {
  const { code, message, field, reason, retryAfterSeconds } = refused
  const ours = field === undefined ? undefined : (FIELDS[field] ?? field)
  const named = ours === undefined ? message : message.replaceAll(field!, ours)
  return new Rejection(code, named, {
    field: ours,
    ...(reason !== undefined && { reason }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/** The bytes of a public key in hex. Throws a Rejection that names the field. */
export function readPublicKey(text: string, field: string): Uint8Array {
  const key = fromHex(text)
  if (key?.length === PUBLIC_KEY_BYTES) return key
  const message = `${field} must be 0x and ${2 * PUBLIC_KEY_BYTES} hex digits`
  throw new Rejection('bad_request.invalid_param', message, { field })
}
