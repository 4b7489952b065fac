import assert from 'node:assert/strict'
import test from 'node:test'
import { hashMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { verifySignature } from '../accounts/signatures/signature.ts'
import { equalBytes, fromHex, toHex } from '../protocol/codec/bytes.ts'
import { publicKeyOf, signEd25519 } from '../protocol/crypto/ed25519.ts'
import { Rejection } from '../protocol/rejection.ts'
import { checkToken, type TokenTerms } from './token.ts'

const SEED = new Uint8Array(32).fill(0x11)
const KEY = publicKeyOf(SEED)
const NOW = 1_893_456_000 - 300
const CUSTODY = privateKeyToAccount(`0x${'22'.repeat(32)}`)

/** The published one: fid 2, expires at 1893456000. */
const VECTOR =
  'eyJmaWQiOjIsInR5cGUiOiJhcHBfa2V5Iiwia2V5IjoiMHhkMDRhYjIzMjc0MmJiNGFiM2ExMzY4YmQ0NjE1ZTRlNmQwMjI0YWI3MWEwMTZiYWY4NTIwYTMzMmM5Nzc4NzM3In0.eyJleHAiOjE4OTM0NTYwMDB9.dE5viM7b3BZw3xWtZoGZD6rlzkFUVrAPFHNB5s8fsgBE1eU9yQOGt-EJlp3nBBRThMZUu_518EZo-a5b_bIyAA'

const terms: TokenTerms = {
  accounts: {
    isActiveKey: async (fid, key) => fid === 2 && equalBytes(key, KEY),
    custodyOf: async (fid) =>
      fid === 2
        ? { fid, address: fromHex(CUSTODY.address)!, recovery: new Uint8Array(20) }
        : undefined,
  },
  isFullGaslessKey: async () => false,
  verify: verifySignature,
  now: NOW,
  maxLifetimeSeconds: 3_600,
  audiences: ['https://platform.example.org'],
}

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

function token(
  header: unknown = { fid: 2, type: 'app_key', key: toHex(KEY) },
  payload: unknown = { exp: NOW + 300 },
  seed = SEED,
): string {
  const signed = `${part(header)}.${part(payload)}`
  return `${signed}.${Buffer.from(signEd25519(Buffer.from(signed), seed)).toString('base64url')}`
}

const check = (text: string, changed: Partial<TokenTerms> = {}) =>
  checkToken(`Bearer ${text}`, { ...terms, ...changed })

const isRefused = (error: unknown) =>
  error instanceof Rejection &&
  error.code === 'unauthenticated' &&
  error.reason === 'invalid_auth_token'

test('the published token is accepted and names its fid', async () => {
  const actor = await check(VECTOR)
  assert.deepEqual(actor, { fid: 2, by: 'app_key', key: KEY })
})

test('a token may have keys without 0x, padded base64url and further properties', async () => {
  const bare = { key: toHex(KEY).slice(2).toUpperCase(), type: 'app_key', fid: 2, app: 'x' }
  assert.equal((await check(token(bare, { more: 1, exp: NOW + 5 }))).fid, 2)
  const [h, p, s] = VECTOR.split('.') as [string, string, string]
  assert.equal((await check(`${h}.${p}.${s}==`)).fid, 2)
})

test('a token that was altered anywhere is refused', async () => {
  for (let i = 0; i < VECTOR.length; i += 3) {
    const other = VECTOR[i] === 'A' ? 'B' : 'A'
    const altered = VECTOR.slice(0, i) + other + VECTOR.slice(i + 1)
    // The last character of an unpadded part may carry bits that mean nothing.
    if (Buffer.from(altered.split('.')[2] ?? '', 'base64url').equals(SIGNATURE)) {
      if (altered.split('.').slice(0, 2).join() === VECTOR.split('.').slice(0, 2).join()) continue
    }
    await assert.rejects(check(altered), isRefused, `at ${i}`)
  }
})

const SIGNATURE = Buffer.from(VECTOR.split('.')[2]!, 'base64url')

test('text that is not a token is refused', async () => {
  const good = { fid: 2, type: 'app_key', key: toHex(KEY) }
  const bad = [
    '',
    'a.b',
    `${VECTOR}.x`,
    '..',
    'x'.repeat(10_000),
    token('not json'),
    token([]),
    token('null'),
    token({ ...good, fid: '2' }),
    token({ ...good, fid: 0 }),
    token({ ...good, fid: 2.5 }),
    token({ ...good, fid: 2 ** 32 }),
    token({ ...good, type: 'custody' }),
    token({ ...good, type: '__proto__' }),
    token({ ...good, key: 7 }),
    token({ ...good, key: '0x00' }),
    token(good, {}),
    token(good, { exp: `${NOW + 300}` }),
    token(good, { exp: NOW + 0.5 }),
    token(good, { exp: NOW + 300 }, new Uint8Array(32).fill(9)),
    token({ ...good, fid: 3 }),
  ]
  for (const text of bad) await assert.rejects(check(text), isRefused, text.slice(0, 80))
  for (const header of [undefined, '', 'Basic abc', VECTOR]) {
    await assert.rejects(checkToken(header, terms), isRefused)
  }
})

test('a token is accepted until 30 s after its end and with a bounded lifetime', async () => {
  const at = (exp: number) => check(token(undefined, { exp }))
  await at(NOW - 29)
  await assert.rejects(at(NOW - 30), isRefused)
  await at(NOW + 3_630)
  await assert.rejects(at(NOW + 3_631), isRefused)
})

test('a token with an audience is accepted only there', async () => {
  const forUs = (aud: unknown) => check(token(undefined, { exp: NOW + 60, aud }))
  await forUs('https://platform.example.org')
  await forUs('https://PLATFORM.example.org/')
  for (const aud of ['https://evil.example.org', '', 5, null]) {
    await assert.rejects(forUs(aud), isRefused)
  }
})

test('all names of the loopback address are one audience, and only with the same port', async () => {
  const audiences = ['http://127.0.0.1:2290']
  const forUs = (aud: string) => check(token(undefined, { exp: NOW + 60, aud }), { audiences })
  for (const aud of ['http://localhost:2290', 'http://[::1]:2290/']) await forUs(aud)
  for (const aud of [
    'http://localhost:2291',
    'http://localhost',
    'https://localhost:2290',
    'http://localhost.example:2290',
    'http://127.0.0.2:2290',
  ]) {
    await assert.rejects(forUs(aud), isRefused)
  }
})

test('a token signed by the custody address is accepted only on routes that allow it', async () => {
  const head = part({ fid: 2, type: 'custody', key: CUSTODY.address })
  const signed = `${head}.${part({ exp: NOW + 60 })}`
  const signature = await CUSTODY.sign({ hash: hashMessage(signed) })
  const text = `${signed}.${Buffer.from(fromHex(signature)!).toString('base64url')}`
  const accept = ['app_key', 'custody'] as const
  assert.equal((await check(text, { accept })).by, 'custody')
  await assert.rejects(check(text), isRefused)
  const moved = { ...terms.accounts, custodyOf: async () => undefined }
  await assert.rejects(check(text, { accept, accounts: moved }), isRefused)
})
