import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { keyOf, NOW, onEngines } from '../../../test/accounts-support.ts'
import { keyAdded, sealBlock } from '../../kernel/accounts/events.ts'
import { encodeSignedKeyRequestMetadata } from '../../kernel/protocol/crypto/key-request-metadata.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { failApproved, followAccounts, reopenRequests } from './account-events.ts'
import type { KeyRequestState, StoredKeyRequest } from './tables/key-requests.ts'
import { keyRequestRows } from './tables/key-requests.ts'

const [APP, USER, SPONSOR] = [1, 2, 3]
const OWNER = new Uint8Array(20).fill(2)

onEngines('key requests after a reorg', (engine) => {
  let storage: Storage
  let drop: () => Promise<void>
  before(async () => {
    ;[storage, drop] = await engine.open()
  })
  after(async () => {
    await storage.close()
    await drop()
  })
  beforeEach(() => storage.reset())

  const request = (token: number, state: KeyRequestState): StoredKeyRequest => ({
    token: new Uint8Array(24).fill(token),
    state,
    key: keyOf(9),
    key_text: '',
    request_fid: APP,
    request_signer: OWNER,
    signature: new Uint8Array(65).fill(token),
    deadline: NOW + 600,
    redirect_url: null,
    sponsor_fid: SPONSOR,
    created_at: NOW,
    forget_at: NOW + 700,
    reason: null,
    error_name: null,
    handed: 1,
    scopes: null,
    ttl: null,
    ...(state === 'pending'
      ? { user_fid: null, approved_at: null, add_owner: null, add_nonce: null }
      : { user_fid: USER, approved_at: NOW, add_owner: OWNER, add_nonce: 0 }),
    ...(state === 'pending'
      ? { add_deadline: null, add_signature: null }
      : { add_deadline: NOW + 300, add_signature: new Uint8Array(65).fill(2) }),
  })
  const metadata = encodeSignedKeyRequestMetadata({
    requestFid: BigInt(APP),
    requestSigner: OWNER,
    signature: new Uint8Array(65).fill(1),
    deadline: BigInt(NOW + 600),
  })
  const added = sealBlock(
    [keyAdded(USER, { key: keyOf(9), keyType: 1, metadataType: 1, metadata })],
    { chainId: 10, blockNumber: 1, timestamp: NOW },
  )
  const begin = (requests: readonly StoredKeyRequest[]) =>
    storage.write('hub', async (tx) => {
      const reserved = 100 * requests.filter(({ state }) => state === 'approved').length
      await tx.of(keyRequestRows).putCredit({ fid: SPONSOR, balance: 200, reserved })
      await tx.of(keyRequestRows).put(requests)
    })
  const follow = () => storage.write('hub', (tx) => followAccounts(tx, added, NOW))
  const rollBack = () => storage.write('hub', (tx) => reopenRequests(tx, added, NOW + 1_000))
  const now = async () => {
    const requests = await storage.of(keyRequestRows).byKeys([keyOf(9)])
    const { balance, reserved } = (await storage.of(keyRequestRows).credit(SPONSOR))!
    return [...requests.map(({ state }) => state), balance, reserved]
  }

  test('after a reorg the credits of a key are reserved again, and charged once it is added again', async () => {
    await begin([request(1, 'approved')])
    await follow()
    assert.deepEqual(await now(), ['completed', 100, 0])
    await rollBack()
    assert.deepEqual(await now(), ['approved', 200, 100])
    const [again] = await storage.of(keyRequestRows).byKeys([keyOf(9)])
    assert.equal(again!.handed, 0, 'the approval is submitted again')
    await follow()
    assert.deepEqual(await now(), ['completed', 100, 0])
    assert.equal((await storage.of(keyRequestRows).creditEntries(SPONSOR, undefined, 9)).length, 3)
  })

  test('of two requests for one key, one gets its credits back', async () => {
    await begin([request(1, 'approved'), request(2, 'approved')])
    await follow()
    assert.deepEqual(await now(), ['completed', 'completed', 100, 0])
    await rollBack()
    assert.deepEqual(await now(), ['approved', 'approved', 200, 200])
  })

  test('after a reorg a request without an approval here is pending again', async () => {
    await begin([request(1, 'pending')])
    await follow()
    assert.deepEqual(await now(), ['completed', 200, 0])
    await rollBack()
    assert.deepEqual(await now(), ['pending', 200, 0])
  })

  test('a request whose call lost to another call with the same key is completed without charge', async () => {
    await begin([request(1, 'approved')])
    const error = new Rejection('InvalidSignature', 'the nonce was used')
    await storage.write('hub', (tx) =>
      failApproved(tx, { owner: OWNER, key: keyOf(9), error }, NOW),
    )
    assert.deepEqual(await now(), ['failed', 200, 0])
    await follow()
    assert.deepEqual(await now(), ['completed', 200, 0])
    const [done] = await storage.of(keyRequestRows).byKeys([keyOf(9)])
    assert.deepEqual([done!.reason, done!.error_name, done!.user_fid], [null, null, USER])
    await rollBack()
    assert.deepEqual(await now(), ['pending', 200, 0])
  })
})
