import { appFidRows } from '../src/features/registration/tables/app-fids.ts'
// Sign-in, registration, links and auth addresses of the app API, by the stock client.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'
import { encodeAbiParameters, type Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import {
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
} from '../src/kernel/accounts/signatures/sign.ts'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { publicKeyOf } from '../src/kernel/protocol/crypto/ed25519.ts'
import { refusal, sdk, writersOf } from './app-writes-support.ts'
import { signRequest } from './key-requests-support.ts'
import type { Person } from './registry-support.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const NO_ADDRESS = `0x${'00'.repeat(20)}`
const TRANSFER_DOMAIN = {
  name: 'Farcaster IdRegistry',
  version: '1',
  chainId: 10,
  verifyingContract: '0x00000000fc6c5f01fc30151999387bb99a9f489b',
} as const
const TRANSFER_TYPES = {
  Transfer: [
    { name: 'fid', type: 'uint256' },
    { name: 'to', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

for (const engine of enginesOf(import.meta.url)) {
  describe(`sign-in and registration by the app API on ${engine}`, () => {
    let world: World
    let client: NeynarAPIClient
    let writers: ReturnType<typeof writersOf>
    let app: Person
    let user: Person

    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' } })
      // The published client needs the header for what costs its own server gas.
      const headers = { 'x-wallet-id': 'ours' }
      const options = { apiKey: DEVELOPMENT_KEY, basePath: world.app.urls.app }
      client = new NeynarAPIClient(new Configuration({ ...options, baseOptions: { headers } }))
      writers = writersOf(world)
      app = await writers.registry.person(900)
      user = await writers.registry.person(901)
    })
    after(() => world.close())

    const later = () => writers.now() + 3_600
    const messageOf = (nonce: string, address: string, changes: object = {}) =>
      createSiweMessage({
        ...{ domain: 'app.example', uri: 'https://app.example/', version: '1', chainId: 1 },
        ...{ nonce, address: address as Hex, issuedAt: new Date(world.clock.now()), ...changes },
      })
    const signed = async ({ account }: Pick<Person, 'account'>, changes: object = {}) => {
      const { nonce } = await client.fetchNonce()
      const message = messageOf(nonce, account.address, changes)
      return { message, signature: await account.signMessage({ message }) }
    }

    it('a user who signs in is told the signers that this app made for them', async () => {
      const uuid = await writers.signer(client, app, user)
      const asked = await signed(user)
      for (let times = 0; times < 2; times++) {
        const { signers } = await client.fetchSigners(asked)
        const told = signers.map(({ signer_uuid, status, fid }) => [signer_uuid, status, fid])
        assert.deepEqual(told, [[uuid, 'approved', user.fid]])
      }
      const other = await writers.registry.person(902)
      assert.deepEqual(await client.fetchSigners(await signed(other)), { signers: [] })
    })

    it('a message of another nonce, address, time or form tells nothing', async () => {
      const good = await signed(user)
      const other = await writers.registry.person(903)
      const stranger = { account: privateKeyToAccount(generatePrivateKey()) }
      const expirationTime = new Date(world.clock.now() - 1)
      const withNonce = async (nonce: string) => {
        const message = messageOf(nonce, user.account.address)
        return { message, signature: await user.account.signMessage({ message }) }
      }
      const cases: [object, string][] = [
        [{ ...good, signature: (await signed(other)).signature }, '400 InvalidField signature'],
        [{ ...good, message: `${good.message}\nmore` }, '400 InvalidField message'],
        [await withNonce('00112233445566778899'), '400 InvalidField message'],
        [await signed(user, { expirationTime }), '400 InvalidField message'],
        [await signed(stranger), '404 NotFound message'],
      ]
      for (const [asked, expected] of cases) {
        const call = client.fetchSigners(asked as typeof good)
        assert.equal(await refusal(call), expected)
      }
      const made = await world.operate('/app/apps', { body: { name: 'Other', fid: 5 } })
      const elsewhere = sdk(world, made.body.key).fetchSigners(good)
      assert.equal(await refusal(elsewhere), '400 InvalidField message', 'a nonce of another app')
      world.clock.advance(3_600_001)
      assert.equal(await refusal(client.fetchSigners(good)), '400 InvalidField message')
    })

    const transferOf = async (account: PrivateKeyAccount, fid: number, deadline: number) => ({
      ...{ fid, deadline, requestedUserCustodyAddress: account.address },
      signature: await account.signTypedData({
        ...{ domain: TRANSFER_DOMAIN, types: TRANSFER_TYPES, primaryType: 'Transfer' },
        message: {
          ...{ fid: BigInt(fid), to: account.address, nonce: 0n, deadline: BigInt(deadline) },
        },
      }),
    })

    it('a new user gets a reserved fid by one signature, and is asked to approve a signer', async () => {
      const { fid } = await client.getFreshAccountFID()
      const account = privateKeyToAccount(generatePrivateKey())
      const { signer_uuid: uuid, public_key } = await client.createSigner()
      const deadline = later()
      const request = { requestFid: app.fid, key: public_key as Hex, deadline }
      const terms = await transferOf(account, fid, deadline)
      const wrong = { ...terms, signature: `0x${'11'.repeat(65)}` }
      assert.equal(await refusal(client.registerAccount(wrong)), '400 InvalidSignature signature')
      assert.equal(
        await refusal(client.registerAccount({ ...terms, fname: 'rook' })),
        '400 InvalidField fname',
      )
      const made = await client.registerAccount({
        ...terms,
        signer: {
          ...{ uuid, app_fid: app.fid, deadline },
          signed_key_request_metadata_signature: await signRequest(app.account, request),
        },
      } as Parameters<typeof client.registerAccount>[0])
      assert.deepEqual([made.success, made.user?.fid, made.signers.length], [true, fid, 1])
      assert.equal(made.user!.custody_address, account.address.toLowerCase())
      const url = made.signer!.signer_approval_url
      await writers.approve(writers.tokenOf(url), { fid, account })
      const { cast } = await client.publishCast({ signerUuid: uuid, text: 'new here' })
      assert.equal(cast.author.fid, fid)
      assert.equal(await refusal(client.registerAccount(terms)), '404 NotFound fid')
    })

    it('a fid that no user took is given to the next one; at once each asks for its own', async () => {
      const fids = await Promise.all([1, 2, 3].map(() => client.getFreshAccountFID()))
      const asked = fids.map(({ fid }) => fid).toSorted()
      assert.equal(new Set(asked).size, 3)
      const account = privateKeyToAccount(generatePrivateKey())
      const late = await transferOf(account, asked[0]!, later())
      world.clock.advance(601_000)
      assert.equal(await refusal(client.registerAccount(late)), '404 NotFound fid')
      const again = await Promise.all([1, 2, 3].map(() => client.getFreshAccountFID()))
      assert.deepEqual(again.map(({ fid }) => fid).toSorted(), asked)
      const twice = await Promise.allSettled([1, 2].map(() => client.registerAccount(late)))
      assert.deepEqual(twice.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      assert.equal(await world.app.accounts.fidOf(fromHex(account.address)!), asked[0])
    })

    it('a fid that was given away before a process was killed is reserved for nobody', async () => {
      const { fid } = await client.getFreshAccountFID()
      const { storage } = world.app
      const row = (await storage.of(appFidRows).byFid(fid))!
      const account = privateKeyToAccount(generatePrivateKey())
      await client.registerAccount(await transferOf(account, fid, later()))
      await storage.write('hub', (tx) => tx.of(appFidRows).put({ ...row, reserved_until: 1 }))
      assert.notEqual((await client.getFreshAccountFID()).fid, fid)
      assert.equal(await storage.of(appFidRows).byFid(fid), undefined)
      world.clock.advance(601_000)
    })

    it('an app reserves a hundred fids at a time, and no more', async () => {
      const answers = await Promise.allSettled(
        Array.from({ length: 110 }, () => client.getFreshAccountFID()),
      )
      const told = answers.filter(({ status }) => status === 'fulfilled')
      assert.ok(told.length <= 100 && told.length >= 95, String(told.length))
      assert.match(await refusal(client.getFreshAccountFID()), /^503/)
      world.clock.advance(601_000)
    })

    it('a user registers with a key by signatures alone', async () => {
      const account = privateKeyToAccount(generatePrivateKey())
      const deadline = BigInt(later())
      const { signature } = await signRegister(account, { deadline })
      const key = publicKeyOf(new Uint8Array(32).fill(engine === 'sqlite' ? 61 : 62))
      const metadata = await signedKeyRequestMetadata(app.account, {
        requestFid: app.fid,
        key,
        deadline,
      })
      const added = await signAdd(account, { key, metadata, deadline })
      const registration = {
        ...{ custody_address: account.address, recovery_address: NO_ADDRESS },
        ...{ deadline: Number(deadline), signature: toHex(signature) },
      }
      const signer = {
        ...{ public_key: toHex(key), metadata: toHex(metadata), deadline: Number(deadline) },
        signature: toHex(added.signature),
      }
      const body = { registration, signers: [signer] }
      const register = (changes: object = {}) =>
        client.registerAccountOnchain({ ...body, ...changes } as never)
      const bad = { signers: [{ ...signer, signature: `0x${'11'.repeat(65)}` }] }
      assert.equal(await refusal(register(bad)), '400 InvalidSignature signers[0].signature')
      assert.equal(await refusal(register({ storage_units: 2 })), '400 InvalidField storage_units')
      const made = await register()
      assert.match(made.transaction_hash!, /^0x[0-9a-f]{64}$/)
      assert.equal(made.user!.custody_address, account.address.toLowerCase())
      assert.ok(await world.app.accounts.isActiveKey(made.user!.fid, key))
      assert.match(await refusal(register()), /HasId/)
    })

    it('a user has the auth addresses of the key registry, with the app that asked', async () => {
      const deadline = BigInt(later())
      const { address } = privateKeyToAccount(generatePrivateKey())
      const key = fromHex(encodeAbiParameters([{ type: 'address' }], [address]))!
      const metadata = await signedKeyRequestMetadata(app.account, {
        requestFid: app.fid,
        key,
        deadline,
      })
      const ledger = world.app.ledger!
      const nonce = await ledger.nonce('keyGateway', user.app.custody)
      await ledger.addFor(
        await signAdd(user.account, { keyType: 2, key, metadata, deadline, nonce }),
      )
      const { users } = await client.fetchBulkUsers({ fids: [user.fid, app.fid] })
      const told = users.map(({ auth_addresses }) => auth_addresses)
      assert.deepEqual(
        told.map((list) => list.map((one) => one.address)),
        [[address.toLowerCase()], []],
      )
      assert.equal(told[0]![0]!.app.fid, app.fid)
    })

    describe('links', () => {
      let site: Server
      let base: string
      before(async () => {
        site = createServer((request, response) => {
          response.setHeader('content-type', request.url === '/text' ? 'text/plain' : 'text/html')
          response.end(
            '<head><title>Rooks</title><meta property="og:description" content="All about rooks">' +
              '<meta property="og:image" content="/rook.png"></head>',
          )
        })
        await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
        base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
      })
      after(() => site.close())

      it('what a page says about itself is told', async () => {
        const { metadata } = await client.fetchEmbeddedUrlMetadata({ url: `${base}/page#part` })
        assert.equal(metadata._status, 'RESOLVED')
        assert.equal(metadata.content_type, 'text/html')
        const { ogTitle, ogDescription, ogUrl, ogImage } = metadata.html!
        assert.deepEqual(
          [ogTitle, ogDescription, ogUrl],
          ['Rooks', 'All about rooks', `${base}/page`],
        )
        assert.deepEqual(ogImage, [{ url: `${base}/rook.png` }])
      })

      it('what is no page, and what is no public site, is refused', async () => {
        for (const url of [`${base}/text`, 'http://10.0.0.1/', 'file:///etc/passwd', 'nothing']) {
          assert.match(await refusal(client.fetchEmbeddedUrlMetadata({ url })), /^400 .* url$/, url)
        }
      })
    })
  })
}
