import { signInRows } from '../src/features/sign-in/tables/sign-in.ts'
import { HOUR_MS } from '../src/kernel/protocol/time.ts'
// The relay of Sign In With Farcaster, with the published client of apps and wallets, and by hand.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createAppClient, createWalletClient, viemConnector } from '@farcaster/auth-client'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import { fidRegistered, keyAdded, sealBlock } from '../src/kernel/accounts/events.ts'
import { userDataAdd } from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { PATIENCE_MS } from './patience.ts'
import { type Answer, createWorld, enginesOf, WORLD_START_MS, type World } from './world.ts'

const ROBIN = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const STRANGER = privateKeyToAccount(`0x${'22'.repeat(32)}`)
const AUTH_ADDRESS = privateKeyToAccount(`0x${'33'.repeat(32)}`)
const ASKED = { siweUri: 'https://app.example/login', domain: 'app.example' }

for (const engine of enginesOf(import.meta.url)) {
  describe(`the relay of sign-ins on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_TRUSTED_PROXIES: '127.0.0.1' } })
      const account = await world.account(7)
      const auth = fromHex(`${'00'.repeat(12)}${AUTH_ADDRESS.address.slice(2)}`)!
      const block = { chainId: 10, blockNumber: 900_000, timestamp: WORLD_START_MS / 1000 }
      const events = [
        fidRegistered(7, fromHex(ROBIN.address)!, new Uint8Array(20)),
        keyAdded(7, { key: auth, keyType: 2, metadataType: 1, metadata: fromHex('00')! }),
      ]
      await world.app.ledger!.importEvents(sealBlock(events, block))
      for (const [type, value] of [
        [UserDataType.USER_DATA_TYPE_DISPLAY, 'Robin'],
        [UserDataType.USER_DATA_TYPE_BIO, 'A bird'],
        [UserDataType.USER_DATA_TYPE_PFP, 'https://robin.example/me.png'],
      ] as const) {
        await world.submit(world.sign(account, userDataAdd(world.origin(account), type, value)))
      }
    })
    after(() => world?.close())

    const ethereum = () => viemConnector({ rpcUrl: `${world.app.urls.accounts}/` })
    const app = () => createAppClient({ relay: world.app.urls.platform, ethereum: ethereum() })
    const wallet = () =>
      createWalletClient({ relay: world.app.urls.platform, ethereum: ethereum() })
    const open = async (asked: object = {}) => {
      const { data, response } = await app().createChannel({ ...ASKED, ...asked })
      assert.equal(response.status, 201, JSON.stringify(data))
      return data
    }
    const at = (path: string, token: string, body?: object): Promise<Answer> =>
      world.platform(`/v1/channel${path}`, { token, ...(body && { body }) })
    /** What a wallet sends for a channel, by the parameters that the relay tells it. */
    const signed = async (
      token: string,
      {
        by = ROBIN,
        fid = 7,
        ...changed
      }: { by?: PrivateKeyAccount; fid?: number } & Record<string, unknown> = {},
    ) => {
      const { signatureParams } = (await at('/request', token)).body
      const { siweUri: uri, domain, nonce, ...times } = signatureParams
      const resources = [`farcaster://fid/${fid}`, ...((changed.resources as string[]) ?? [])]
      const params = { uri, domain, nonce, ...dates(times), ...changed, resources }
      const fixed = { version: '1', chainId: 10, statement: 'Farcaster Auth', address: by.address }
      const message = createSiweMessage({ ...fixed, ...params } as never)
      return { message, signature: await by.signMessage({ message }), fid }
    }
    const refused = async (answer: Promise<Answer>, status: number, field?: string) => {
      const { status: given, body } = await answer
      assert.deepEqual([given, body.field], [status, field], JSON.stringify(body))
      return body
    }

    test('an app gets the signature of its user once, with the profile of the network, and verifies it', async () => {
      const { channelToken, url, nonce } = await open()
      assert.equal(url, `${world.app.urls.web}/platform/~/sign-in?channelToken=${channelToken}`)
      const before = await app().status({ channelToken })
      assert.deepEqual([before.response.status, before.data.state], [202, 'pending'])
      const parsed = wallet().parseSignInURI({ uri: url })
      const { signatureParams: params } = before.data
      const { message: text } = wallet().buildSignInMessage({
        ...{ uri: params.siweUri, domain: params.domain, nonce: params.nonce! },
        ...{ address: ROBIN.address, fid: 7 },
      })
      assert.equal(parsed.channelToken, channelToken)
      const signature = await ROBIN.signMessage({ message: text })
      const answer = { message: text, signature, fid: 7 }
      const sent = await wallet().authenticate({
        ...answer,
        authKey: 'none is needed',
        channelToken,
        username: 'vitalik',
        displayName: 'Somebody else',
        bio: '',
        pfpUrl: 'https://evil.example/x.png',
      })
      assert.equal(sent.response.status, 201, JSON.stringify(sent.data))
      const { data, response } = await app().watchStatus({ channelToken, timeout: PATIENCE_MS })
      assert.equal(response.status, 200)
      const { metadata, signatureParams, url: page, ...told } = data
      assert.deepEqual(told, {
        state: 'completed',
        nonce,
        message: answer.message,
        signature: answer.signature,
        authMethod: 'custody',
        fid: 7,
        displayName: 'Robin',
        bio: 'A bird',
        pfpUrl: 'https://robin.example/me.png',
        verifications: [],
        custody: ROBIN.address.toLowerCase(),
        acceptAuthAddress: true,
      })
      assert.deepEqual([signatureParams, page], [{ ...ASKED, nonce }, url])
      assert.equal(metadata.ip, '127.0.0.1')
      const proof = { ...{ message: data.message!, signature: data.signature! }, nonce }
      const verified = await app().verifySignInMessage({ ...proof, domain: ASKED.domain })
      assert.deepEqual([verified.success, verified.fid], [true, 7], `${verified.error}`)
      await refused(at('/status', channelToken), 401)
      await refused(at('/authenticate', channelToken, answer), 401)
    })

    test('the store has the hash of a channel token and nothing else of it', async () => {
      const { channelToken, url } = await open({ requestId: 'kept' })
      const digest = Uint8Array.from(hash('sha256', channelToken, 'buffer'))
      const row = await world.app.storage.of(signInRows).channel(digest, world.clock.now())
      assert.match(row!.request, /kept/)
      assert.ok(!JSON.stringify(row).includes(channelToken))
      // Every answer has the address of the page nevertheless, made from the token of the caller.
      for (const path of ['/status', '/request']) {
        assert.equal((await at(path, channelToken)).body.url, url, path)
      }
    })

    test('an auth address signs in where the app accepts it, and a stranger never', async () => {
      const { channelToken } = await open()
      const answer = await signed(channelToken, { by: AUTH_ADDRESS })
      await refused(
        at('/authenticate', channelToken, { ...answer, authMethod: 'custody' }),
        400,
        'authMethod',
      )
      const { body } = await at('/authenticate', channelToken, answer)
      assert.equal(body.authMethod, 'authAddress')
      const custodyOnly = await open({ acceptAuthAddress: false })
      const other = await signed(custodyOnly.channelToken, { by: AUTH_ADDRESS })
      await refused(at('/authenticate', custodyOnly.channelToken, other), 403, 'message')
      const stranger = await signed(custodyOnly.channelToken, { by: STRANGER })
      await refused(at('/authenticate', custodyOnly.channelToken, stranger), 403, 'message')
      const { signature } = stranger
      const ours = await signed(custodyOnly.channelToken)
      await refused(
        at('/authenticate', custodyOnly.channelToken, { ...ours, signature }),
        400,
        'signature',
      )
    })

    test('a message that says something else than the app has asked for is refused', async () => {
      const expirationTime = new Date(WORLD_START_MS + HOUR_MS).toISOString()
      const { channelToken } = await open({ requestId: 'r1', expirationTime })
      const answers = (body: object) => at('/authenticate', channelToken, body)
      for (const changed of [
        { domain: 'evil.example' },
        { uri: 'https://evil.example/' },
        { nonce: 'another1234' },
        { requestId: 'r2' },
        { requestId: undefined },
        { expirationTime: new Date(WORLD_START_MS + HOUR_MS + 1) },
        { expirationTime: undefined },
        { notBefore: new Date(WORLD_START_MS) },
        { resources: ['farcaster://fid/8'] },
      ]) {
        const answer = await signed(channelToken, changed)
        await refused(answers(answer), 400, 'message')
      }
      const { message, fid } = await signed(channelToken)
      const texts = [
        message.replace('Farcaster Auth', 'I give away everything'),
        message.replace('Chain ID: 10', 'Chain ID: 1'),
        message.replace('fid/7', 'fid/8'),
        message.replace('\n- farcaster', '\n- farcaster://fid/8\n- farcaster'),
        message.replace('- farcaster://fid/7', '- https://x.example/'),
        `${message}\nand one line more`,
        message.replace('\nURI', '\nhidden\nURI'),
        `${message}\n${message}`,
        'anything',
        '',
      ]
      for (const text of texts) {
        const signature = await ROBIN.signMessage({ message: text })
        const { status, body } = await answers({ message: text, signature, fid })
        assert.deepEqual([status, ['message', 'fid'].includes(body.field)], [400, true], text)
      }
      for (const fid of [0, 2 ** 32, 1.5]) {
        await refused(answers({ ...(await signed(channelToken)), fid }), 400, 'fid')
      }
      assert.equal((await answers(await signed(channelToken))).status, 201)
    })

    test('a request that no wallet could sign is refused with its field', async () => {
      for (const [asked, field] of [
        [{ domain: 'https://app.example' }, 'domain'],
        [{ domain: 'app' }, 'domain'],
        [{ domain: 'farcaster.xyz' }, 'domain'],
        [{ domain: 'Login.Farcaster.xyz:8080' }, 'domain'],
        [{ siweUri: 'nothing' }, 'siweUri'],
        [{ siweUri: 'https://app.example/\nURI: x' }, 'siweUri'],
        [{ siweUri: `https://app.example/${'a'.repeat(2_048)}` }, 'siweUri'],
        [{ nonce: 'short12' }, 'nonce'],
        [{ nonce: 'not alnum!' }, 'nonce'],
        [{ expirationTime: 'tomorrow' }, 'expirationTime'],
        [{ notBefore: '2026-13-45T00:00:00Z' }, 'notBefore'],
        [{ expirationTime: new Date(WORLD_START_MS).toISOString() }, 'expirationTime'],
      ] as const) {
        await refused(world.platform('/v1/channel', { body: { ...ASKED, ...asked } }), 400, field)
      }
      for (const domain of ['localhost:3000', '127.0.0.1:5173', 'a.example:8080'])
        await open({ domain })
      await open({ nonce: 'exactly8' })
    })

    test('a channel ends when it is declined, and after an hour', async () => {
      const { channelToken } = await open()
      const answer = await signed(channelToken)
      assert.deepEqual((await at('/decline', channelToken, {})).body, { state: 'declined' })
      for (const asked of [
        at('/status', channelToken),
        at('/authenticate', channelToken, answer),
        at('/decline', channelToken, {}),
      ]) {
        await refused(asked, 401)
        assert.match((await asked).body.errors[0].message, /the user declined/)
      }
      const other = await open()
      world.clock.advance(HOUR_MS - 1)
      assert.equal((await at('/status', other.channelToken)).status, 202)
      world.clock.advance(1)
      await refused(at('/status', other.channelToken), 401)
      await world.app.jobs.run('sign in')
      await refused(world.platform('/v1/channel/status'), 401)
      await refused(at('/status', 'x'.repeat(200)), 401)
    })

    test('of two wallets and of two readers at once one each gets through', async () => {
      const { channelToken } = await open()
      const answer = await signed(channelToken)
      const sent = await Promise.all([1, 2, 3].map(() => at('/authenticate', channelToken, answer)))
      assert.deepEqual(sent.map(({ status }) => status).sort(), [201, 400, 400])
      const taken = await Promise.all([1, 2, 3].map(() => at('/status', channelToken)))
      assert.deepEqual(taken.map(({ status }) => status).sort(), [200, 401, 401])
      const both = await open()
      const signedBoth = await signed(both.channelToken)
      const race = await Promise.all([
        at('/authenticate', both.channelToken, signedBoth),
        at('/decline', both.channelToken, {}),
      ])
      assert.equal(race.filter(({ status }) => status < 300).length, 1)
    })

    test('a client that opens more than a thousand channels loses its oldest ones, and nobody else does', async () => {
      const channel = (n: number, client: string) => ({
        token_hash: Uint8Array.from({ length: 32 }, (_, i) =>
          i < 4 ? (n >> (8 * i)) & 255 : client.length,
        ),
        state: 'pending' as const,
        client,
        request: JSON.stringify({ ...ASKED, nonce: 'abcdefgh' }),
        ...{ url: 'x', ip: 'x', user_agent: 'x', origin: null, message: null, signature: null },
        ...{ auth_method: null, fid: null },
        created_at: world.clock.now() + n,
        expires_at: world.clock.now() + HOUR_MS,
      })
      const { storage } = world.app
      const find = (n: number, client: string) =>
        storage.of(signInRows).channel(channel(n, client).token_hash, world.clock.now())
      await storage.write('sign-in/a', async (tx) => {
        await tx.of(signInRows).open(channel(0, 'somebody else'), 3)
        for (let n = 0; n < 5; n++) await tx.of(signInRows).open(channel(n, 'a'), 3)
      })
      assert.deepEqual(
        [!(await find(1, 'a')), !!(await find(2, 'a')), !!(await find(4, 'a'))],
        [true, true, true],
      )
      assert.ok(await find(0, 'somebody else'))
      await storage.write('all/sign-ins', (tx) => tx.of(signInRows).collect(world.clock.now(), 2))
      assert.deepEqual(
        [!(await find(2, 'a')), !!(await find(3, 'a')), !!(await find(4, 'a'))],
        [true, true, true],
      )
    })

    test('channels of all addresses of one site are counted as those of one client', async () => {
      const clientFor = async (address: string) => {
        const response = await fetch(`${world.app.urls.platform}/v1/channel`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
          body: JSON.stringify(ASKED),
        })
        const { channelToken } = (await response.json()) as { channelToken: string }
        const tokenHash = Uint8Array.from(hash('sha256', channelToken, 'buffer'))
        const rows = world.app.storage.of(signInRows)
        return (await rows.channel(tokenHash, world.clock.now()))!.client
      }
      const first = await clientFor('2001:db8:1:1::1')
      assert.equal(await clientFor('2001:db8:1:2::1'), first)
      assert.notEqual(await clientFor('2001:db8:2:1::1'), first)
    })

    test('channels survive a restart', async () => {
      const { channelToken } = await open()
      await world.restart()
      const answer = await signed(channelToken)
      assert.equal((await at('/authenticate', channelToken, answer)).status, 201)
      await world.restart()
      assert.equal((await at('/status', channelToken)).body.signature, answer.signature)
    })
  })
}

const dates = ({ expirationTime, notBefore, ...others }: Record<string, string>) => ({
  ...(others.requestId !== undefined && { requestId: others.requestId }),
  ...(expirationTime && { expirationTime: new Date(expirationTime) }),
  ...(notBefore && { notBefore: new Date(notBefore) }),
})
