import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import {
  addressArgument,
  eventIdArgument,
  fidArgument,
  keyRequestArgument,
  targetArgument,
} from './arguments.ts'
import { describeFailure, Failure } from './failure.ts'
import {
  forgetAccount,
  forgetKey,
  readKeyFile,
  type SavedAccount,
  type SavedKey,
  saveAccount,
  saveKey,
} from './key-file.ts'
import { oneLine } from './output.ts'

describe('arguments', () => {
  const hash = `0x${'1f'.repeat(20)}`

  it('reads fids of 32 bits', () => {
    assert.equal(fidArgument('1'), 1)
    assert.equal(fidArgument('4294967295'), 2 ** 32 - 1)
    for (const bad of ['0', '4294967296', '-1', '1.5', '1e3', '', 'rook']) {
      assert.throws(() => fidArgument(bad), /whole number/)
    }
  })

  it('reads event ids up to what JSON can hold', () => {
    assert.equal(eventIdArgument('9007199254740991'), Number.MAX_SAFE_INTEGER)
    for (const bad of ['9007199254740992', '-1', 'x']) assert.throws(() => eventIdArgument(bad))
  })

  it('reads addresses of 20 bytes', () => {
    assert.equal(addressArgument(`0x${'00'.repeat(20)}`).length, 20)
    for (const bad of ['0x', `0x${'00'.repeat(19)}`, `0x${'00'.repeat(21)}`, 'rook.eth']) {
      assert.throws(() => addressArgument(bad), /40 hex digits/)
    }
  })

  it('reads a target as a cast or as a URL', () => {
    assert.deepEqual(targetArgument(`7/${hash}`), { fid: 7, hash: new Uint8Array(20).fill(0x1f) })
    assert.deepEqual(targetArgument('https://example.com/1/2'), { url: 'https://example.com/1/2' })
    assert.deepEqual(targetArgument('chain://eip155:1'), { url: 'chain://eip155:1' })
    for (const bad of [`0/${hash}`, `7/${hash}00`, `7/${hash.slice(2)}`, hash, 'rook']) {
      assert.throws(() => targetArgument(bad))
    }
  })

  it('reads a key request as its token or as any link to it', () => {
    const token = `0x${'5f'.repeat(24)}`
    assert.equal(keyRequestArgument(token.toUpperCase().replace('X', 'x')), token)
    assert.equal(keyRequestArgument(`farcaster://signed-key-request?token=${token}`), token)
    assert.equal(keyRequestArgument(`https://example.com/~/connect?a=1&token=${token}`), token)
    for (const bad of [
      token.slice(2),
      `${token}00`,
      '0x',
      'https://example.com/',
      'x:y?token=0x',
    ]) {
      assert.throws(() => keyRequestArgument(bad), /48 hex digits/)
    }
  })
})

describe('one line of a terminal', () => {
  it('holds no character that moves the cursor or turns the text around', () => {
    assert.equal(oneLine('a\u001b[2Jb\r\nc\u009bd\u202ee', 60), 'a [2Jb c d e')
  })

  it('is cut between characters, not within one', () => {
    assert.equal(oneLine('🐦🐦🐦', 3), '🐦🐦🐦')
    assert.equal(oneLine('🐦🐦🐦🐦', 3), '🐦🐦…')
  })
})

describe('the key file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-keys-'))
  after(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'new', 'accounts.json')
  const account = (n: number): SavedAccount => ({
    fid: n,
    hub: 'http://127.0.0.1:2281',
    custodyAddress: `0x${String(n).repeat(40)}`,
    custodyPrivateKey: `0x${'a'.repeat(64)}`,
    appPublicKey: `0x${'b'.repeat(64)}`,
    appPrivateKey: `0x${'c'.repeat(64)}`,
  })

  it('is empty before it exists', () => {
    assert.deepEqual(readKeyFile(file), { accounts: [], keys: [] })
  })

  it('is made for its user alone, and keeps accounts in order', () => {
    saveAccount(file, account(1))
    saveAccount(file, account(2))
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(join(dir, 'new')).mode & 0o777, 0o700)
    assert.deepEqual(readKeyFile(file).accounts, [account(1), account(2)])
  })

  it('replaces what it knows of an address, and forgets it when told', () => {
    saveAccount(file, { ...account(1), fid: 9 })
    assert.deepEqual(
      readKeyFile(file).accounts.map(({ fid }) => fid),
      [2, 9],
    )
    forgetAccount(file, account(1))
    assert.deepEqual(readKeyFile(file).accounts, [account(2)])
  })

  it('keeps keys that were given beside the accounts', () => {
    const key = (n: number): SavedKey => ({
      fid: 0,
      hub: 'http://127.0.0.1:2281',
      appPublicKey: `0x${String(n).repeat(64)}`,
      appPrivateKey: `0x${'c'.repeat(64)}`,
    })
    saveKey(file, key(1))
    saveKey(file, key(2))
    saveKey(file, { ...key(1), fid: 7 })
    saveAccount(file, account(3))
    forgetKey(file, key(2))
    assert.deepEqual(readKeyFile(file), {
      accounts: [account(2), account(3)],
      keys: [{ ...key(1), fid: 7 }],
    })
  })

  it('is never overwritten when it is something else', () => {
    for (const content of ['not JSON', '[]', '{"accounts":[{"fid":1}]}']) {
      writeFileSync(file, content)
      assert.throws(() => saveAccount(file, account(1)), /is not a key file/)
      assert.equal(readFileSync(file, 'utf8'), content)
    }
  })
})

describe('a failure', () => {
  it('is one sentence without a stack', () => {
    const { text, exitCode } = describeFailure(new Failure('it does not work'))
    assert.deepEqual([text, exitCode], ['rookery: it does not work', 1])
  })

  it('speaks of ports in words', () => {
    const error = { code: 'EADDRINUSE', syscall: 'listen', address: '127.0.0.1', port: 2281 }
    const { text } = describeFailure(Object.assign(new Error('listen EADDRINUSE'), error))
    assert.match(text!, /^rookery: 127\.0\.0\.1:2281 is in use by another program\./)
  })
})
