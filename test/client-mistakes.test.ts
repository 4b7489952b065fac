// What `rookery/client` says to wrong uses: each is refused before anything is sent, or names what the server wants.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import * as client from 'rookery/client'
import { privateKeyToAccount } from 'viem/accounts'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { bytes, hex, inWorld } from './hub-support.ts'

// Callers of JavaScript have no types.
// biome-ignore lint/suspicious/noExplicitAny: the arguments are wrong on purpose
const js = client as Record<keyof typeof client, any>

const HASH = `0x${'11'.repeat(20)}`
const SIGNATURE = hex(bytes(65, 1))
const KEY = hex(bytes(32, 2))
const TARGET = { fid: 1, hash: HASH }
const NOWHERE = 'http://127.0.0.1:9'
const WALLET = privateKeyToAccount(hex(bytes(32, 70)) as `0x${string}`)
const CAST = client.castAdd({ text: 'x' })
const AUTHOR = { fid: 1, network: 'devnet' }
const CLAIM = { address: hex(bytes(20, 1)), claimSignature: SIGNATURE, blockHash: KEY }
const PROOF = {
  name: 'a.eth',
  owner: hex(bytes(20, 1)),
  signature: SIGNATURE,
  fid: 1,
  timestamp: 1,
}
const ADDED = { key: KEY, custodySignature: SIGNATURE, metadata: SIGNATURE, scopes: ['castAdd'] }
const TERMS = { ttl: 60, nonce: 1, deadline: 200_000_000 }
const network = () => client.createNetwork({ url: NOWHERE })
const NO_WALLET = { address: '0x', signTypedData: async () => '0x' }
const sign = async (body: unknown, author: unknown, signer?: unknown) =>
  js.signMessage(body, author, signer ?? (await client.keySigner(KEY)))
const first = (stream: AsyncGenerator) => stream.next()

/** The use, what it does, and what its error says. */
const AT_HOME: readonly [string, () => unknown, RegExp][] = [
  ['a client of nothing', () => js.createHub(), /the first argument must be an object such as/],
  ['a client of a text', () => js.createHub(NOWHERE), /must be an object such as \{ url/],
  ['no url', () => js.createHub({}), /url must be a URL that begins with http.*not undefined/],
  [
    'a url without a scheme',
    () => js.createHub({ url: '127.0.0.1:2281' }),
    /begins with http:\/\//,
  ],
  ['a host with a port', () => js.createHub({ url: 'localhost:2281' }), /begins with http:\/\//],
  ['no time', () => js.createHub({ url: NOWHERE, timeoutMs: 0 }), /timeoutMs must be .*, not 0/],
  [
    'a time as text',
    () => js.createNetwork({ url: NOWHERE, timeoutMs: '5s' }),
    /timeoutMs must be a number of milliseconds above 0, or Infinity for no limit, not "5s"/,
  ],
  ['retries without end', () => js.createHub({ url: NOWHERE, retries: Number.NaN }), /retries/],
  [
    'a silence of no time',
    () => first(client.follow(network().hub, '/v1/events/stream', {}, { maxSilenceMs: -1 })),
    /maxSilenceMs must be .*, not -1/,
  ],
  [
    'a pause that no timer can have',
    () => js.registerAccount(network(), NO_WALLET, { pollMs: Number.POSITIVE_INFINITY }),
    /pollMs must be an integer from 1 to 2147483647, not Infinity/,
  ],
  ['a network without url', () => js.createNetwork({}), /url must be a URL/],
  [
    'a token for the app API',
    () => js.createApp({ url: NOWHERE, credentials: { bearer: 'x' } }),
    /credentials of the app API must be \{ key: .*not an object with bearer/,
  ],
  [
    'a server that is down',
    () => network().hub.get('/v1/info'),
    /cannot be reached: check the address/,
  ],
  [
    'an enum as network',
    () => sign(CAST, { fid: 1, network: 'SOCIAL_NETWORK_DEVNET' }),
    /must be mainnet, testnet or devnet/,
  ],
  ['a fid as text', () => sign(CAST, { ...AUTHOR, fid: '1' }), /fid must be a fid.*not "1"/],
  ['no author', () => sign(CAST, undefined), /the author must be an object such as/],
  [
    'milliseconds',
    () => sign(CAST, { ...AUTHOR, timestamp: Date.now() }),
    /timestamp must be in seconds since 2021.*networkTime/,
  ],
  [
    'Unix seconds',
    () => sign(CAST, { ...AUTHOR, timestamp: 1_800_000_000 }),
    /timestamp must be in seconds since 2021/,
  ],
  ['a thread of a hash', () => js.thread(network(), HASH), /the cast must be an object such as/],
  ['a thread of an interface', () => js.thread(network().hub, TARGET), /createNetwork/],
  ['no text for mentions', () => js.mentionsIn(network()), /text must be a string, not undefined/],
  [
    'a cast of the app API for textOf',
    () => js.textOf(network(), { object: 'cast', text: 'x' }),
    /must be a cast of the hub/,
  ],
  ['no signer', () => js.signMessage(CAST, AUTHOR), /the signer must be what await keySigner/],
  [
    'a promise of a signer',
    () => sign(CAST, AUTHOR, client.keySigner(KEY)),
    /not a promise: write await/,
  ],
  ['a text to sign', () => sign('hello', AUTHOR), /the message must be what castAdd.*not "hello"/],
  ['a text as cast', () => js.castAdd('hello'), /the cast must be an object such as \{ text/],
  ['nothing as cast', () => js.castAdd(), /the cast must be an object/],
  ['an empty cast', () => js.castAdd({}), /cast is empty: give text/],
  ['a misspelt field', () => js.castAdd({ txt: 'x' }), /no field "txt": its fields are text/],
  ['a number as text', () => js.castAdd({ text: 42 }), /text must be a string, not 42/],
  [
    'a text that is too long',
    () => js.castAdd({ text: 'x'.repeat(321) }),
    /0 to 320 bytes, not 321; give length: 'long'/,
  ],
  [
    'a long cast that is short',
    () => js.castAdd({ text: 'x', length: 'long' }),
    /321 to 1024 bytes, not 1; give length: 'short'/,
  ],
  [
    'a misspelt length',
    () => js.castAdd({ text: 'x', length: 'Long' }),
    /length must be short or long or pro/,
  ],
  [
    'a mention without a position',
    () => js.castAdd({ text: 'hi', mentions: [2] }),
    /mentions and mentionsPositions must match/,
  ],
  [
    'a position beyond the text',
    () => js.castAdd({ text: 'hi', mentions: [2], mentionsPositions: [3] }),
    /mentionsPositions\[0\] must be an integer from 0 to 2/,
  ],
  [
    'a position inside a character',
    () => js.castAdd({ text: 'héllo', mentions: [2], mentionsPositions: [2] }),
    /where a character begins/,
  ],
  [
    'positions in descending order',
    () => js.castAdd({ text: 'hi', mentions: [2, 3], mentionsPositions: [1, 0] }),
    /sorted in ascending order/,
  ],
  [
    'a name as mention',
    () => js.castAdd({ text: 'hi', mentions: ['raven'], mentionsPositions: [0] }),
    /mentions\[0\] must be a fid.*"raven"/,
  ],
  [
    'a text as embed',
    () => js.castAdd({ embeds: ['https://a.example'] }),
    /embeds\[0\] must be an object such as \{ url/,
  ],
  [
    'an embed of another API',
    () => js.castAdd({ embeds: [{ cast_id: TARGET }] }),
    /embeds\[0\] must be .*castId.*not an object with cast_id/,
  ],
  [
    'five embeds',
    () => js.castAdd({ embeds: [1, 2, 3, 4, 5].map(() => ({ url: 'https://a.example' })) }),
    /embeds > 4/,
  ],
  [
    'a hash as parent',
    () => js.castAdd({ text: 'x', parent: HASH }),
    /parent must be an object such as \{ fid: 1/,
  ],
  [
    'a misspelt kind of reaction',
    () => js.reactionAdd('Like', TARGET),
    /kind of a reaction must be like or recast, not "Like"/,
  ],
  [
    'another kind of reaction',
    () => js.reactionRemove('heart', TARGET),
    /must be like or recast, not "heart"/,
  ],
  [
    'a hash as target',
    () => js.reactionAdd('like', HASH),
    /target of a reaction must be an object such as/,
  ],
  [
    'half a target',
    () => js.reactionAdd('like', { hash: HASH }),
    /target of a reaction\.fid must be a fid/,
  ],
  [
    'a cast to remove by an object',
    () => js.castRemove(TARGET),
    /hash of a cast must be bytes or hex digits/,
  ],
  ['a link to a name', () => js.linkAdd('follow', 'raven'), /targetFid must be a fid.*"raven"/],
  ['a link to nobody', () => js.linkRemove('follow'), /targetFid must be a fid.*undefined/],
  ['a link without a type', () => js.linkAdd(2, 3), /type must be a text of 1-8 bytes/],
  [
    'a compact state of one number',
    () => js.linkCompactState('follow', 2),
    /targetFids must be an array/,
  ],
  ['units as text', () => js.lendStorage(2, '3'), /numUnits must be an integer/],
  [
    'a misspelt profile field',
    () => js.userData('displayName', 'x'),
    /field of a profile must be pfp or display or/,
  ],
  [
    'a profile field without a value',
    () => js.userData('bio'),
    /value of a profile field must be a string/,
  ],
  [
    'a short address',
    () => js.verificationAdd({ ...CLAIM, address: '0x12' }),
    /ethereum address must have 20 bytes, not 1/,
  ],
  [
    'a misspelt protocol',
    () => js.verificationAdd({ ...CLAIM, protocol: 'Solana' }),
    /protocol must be ethereum or solana/,
  ],
  [
    'a removal of another protocol',
    () => js.verificationRemove(CLAIM.address, 'btc'),
    /protocol must be ethereum or solana/,
  ],
  [
    'a misspelt type of a name',
    () => js.usernameProof({ ...PROOF, type: 'ENS' }),
    /type must be ens or basename/,
  ],
  [
    'a button as text',
    () => js.frameAction({ url: 'https://a.example', buttonIndex: '1' }),
    /buttonIndex must be an integer/,
  ],
  [
    'an unknown scope',
    () => js.keyAdd({ ...ADDED, ...TERMS, scopes: ['CastAdd'] }),
    /scopes\[0\] must be castAdd or/,
  ],
  ['no scopes', () => js.keyAdd({ ...ADDED, ...TERMS, scopes: [] }), /scopes must be non-empty/],
  [
    'no deadline',
    () => js.keyAdd({ ...ADDED, ...TERMS, deadline: undefined }),
    /deadline must be an integer from 1/,
  ],
  [
    'a removal without a nonce',
    () => js.keyRemove({ key: KEY, deadline: 1 }),
    /nonce must be an integer/,
  ],
  ['a short key', () => js.keySigner('0x1234'), /private key must have 32 bytes, not 2/],
  ['a key of words', () => js.keySigner('hello'), /private key must be hex digits/],
  [
    'a signed message whole',
    () =>
      js.createHub({ url: NOWHERE }).post('/v1/submitMessage', { bytes: bytes(3, 1), hash: HASH }),
    /post\(path, signed\.bytes\)/,
  ],
  [
    'a picture by its name',
    () => js.uploadPicture(network(), 'cat.png'),
    /the picture must be bytes/,
  ],
  [
    'the picture of a video by its name',
    () => js.uploadPoster(network(), 'https://a.example/film.mp4', 'film.jpg'),
    /the picture must be bytes/,
  ],
  [
    'a filter of another API',
    () => first(js.followMessages(network().hub, { fid: 1 })),
    /no field "fid": its fields are fids/,
  ],
  [
    'one fid as fids',
    () => first(js.followMessages(network().hub, { fids: 1 })),
    /fids must be an array, not 1/,
  ],
  [
    'a short type',
    () => first(js.followMessages(network().hub, { types: ['CAST_ADD'] })),
    /types\[0\] must be a name such as MESSAGE_TYPE_CAST_ADD/,
  ],
  [
    'a wallet that is a key',
    () => js.registerAccount(network(), KEY),
    /the wallet must be an account of viem/,
  ],
  [
    'a hub as network',
    () => js.registerAccount(network().hub, WALLET),
    /the network must be what createNetwork returns/,
  ],
  [
    'a name for no fid',
    () => js.claimName(network(), WALLET, { name: 'wren' }),
    /fid must be a fid/,
  ],
]

for (const [use, act, says] of AT_HOME) {
  test(`rookery/client refuses before it sends: ${use}`, async () => {
    await assert.rejects(async () => act(), says)
  })
}

inWorld(
  'rookery/client and a server that refuses',
  (world) => {
    let signer: client.Signer
    const web = () => world().app.urls.web
    const whole = () => client.createNetwork({ url: web(), credentials: { key: DEVELOPMENT_KEY } })
    const submit = async (
      body: client.MessageBody,
      author: Partial<client.Author> = {},
      by = signer,
    ) => {
      const timestamp = networkTime(world().clock.now())
      const whose = { fid: 1, network: 'devnet', timestamp, ...author } as const
      return whole().hub.post(
        '/v1/submitMessage',
        (await client.signMessage(body, whose, by)).bytes,
      )
    }
    // biome-ignore lint/suspicious/noExplicitAny: the arguments are wrong on purpose
    const untyped = () => whole() as Record<string, any>
    before(async () => {
      signer = await client.keySigner((await world().account(1)).seed)
    })

    const REFUSED: readonly [string, () => Promise<unknown>, RegExp][] = [
      [
        'the front door as hub',
        () => client.createHub({ url: web() }).get('/v1/info'),
        /no route \/v1\/info at http.*such as http.*\/hub; createNetwork/,
      ],
      [
        'another interface as hub',
        () => client.createHub({ url: `${web()}/app` }).get('/v1/info'),
        /no route \/v1\/info at http.*\/app/,
      ],
      [
        'a misspelt path',
        () => untyped().hub.get('/v1/castByFid', { fid: 1 }),
        /paths of an interface are at its \/docs/,
      ],
      [
        'a path without its version',
        () => untyped().hub.get('/castsByFid', { fid: 1 }),
        /paths of an interface are at its \/docs/,
      ],
      ['a missing parameter', () => untyped().hub.get('/v1/castsByFid', {}), /^fid /],
      [
        'a name as fid',
        () => untyped().hub.get('/v1/castsByFid', { fid: 'rook' }),
        /fid must be an integer/,
      ],
      [
        'no key of an app',
        () =>
          client.createNetwork({ url: web() }).app.get('/v2/farcaster/feed/following', { fid: 1 }),
        /send it as the header x-api-key/,
      ],
      [
        'an unknown key of an app',
        () =>
          client
            .createNetwork({ url: web(), credentials: { key: 'no' } })
            .app.get('/v2/farcaster/feed/following', { fid: 1 }),
        /not known, or was revoked/,
      ],
      [
        'a custody key as signer',
        async () => submit(CAST, {}, await client.keySigner(bytes(32, 99))),
        /signer 0x[0-9a-f]+ not found for fid 1/,
      ],
      ['the fid of another', () => submit(CAST, { fid: 2 }), /fid/],
      ['a name of another', () => submit(client.userData('username', 'raven')), /raven|name/],
      [
        'an object to submit',
        () => untyped().hub.post('/v1/submitMessage', { text: 'hi' }),
        /takes bytes: those of signMessage/,
      ],
      [
        'a cast without a signer',
        () => untyped().app.post('/v2/farcaster/cast', { text: 'x' }),
        /signer_uuid is missing/,
      ],
      [
        'an account of another wallet',
        () => client.claimName(whole(), WALLET, { fid: 1, name: 'wren' }),
        /holds no fid, not fid 1/,
      ],
    ]
    for (const [use, act, says] of REFUSED) {
      test(`rookery/client passes on what to do: ${use}`, async () => {
        await assert.rejects(act(), (error) => {
          assert.ok(error instanceof client.RookeryError, String(error))
          assert.match(error.message, says)
          return true
        })
      })
    }

    test('TypeScript refuses a misspelt parameter, which a server ignores', async () => {
      const { hub } = whole()
      // @ts-expect-error it is pageSize
      await hub.get('/v1/castsByFid', { fid: 1, page_size: 5 })
      // @ts-expect-error it is pageSize
      await hub.get('/v1/castsByFid', { fid: 1, limit: 5 })
    })
  },
  { env: { ROOKERY_VIEWS: 'on' } },
)
