import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import {
  addressArgument,
  castHashArgument,
  channelIdArgument,
  eventIdArgument,
  fidArgument,
  keyRequestArgument,
  ownCastArgument,
  targetArgument,
} from './arguments.ts'
import { CastHash } from './commands/people.ts'
import { describeFailure, Failure } from './failure.ts'
import { argumentsOf, invocationOf } from './invocation.ts'
import {
  forgetAccount,
  forgetKey,
  readKeyFile,
  type SavedAccount,
  type SavedKey,
  saveAccount,
  saveActing,
  saveKey,
  saveStore,
} from './key-file.ts'
import { oneLine, setInvocation, withHints } from './output.ts'

describe('arguments', () => {
  const hash = `0x${'1f'.repeat(20)}`

  it('a fid argument has 32 bits and is at least 1', () => {
    assert.equal(fidArgument('1'), 1)
    assert.equal(fidArgument('4294967295'), 2 ** 32 - 1)
    for (const bad of ['0', '4294967296', '-1', '1.5', '1e3', '', 'rook']) {
      assert.throws(() => fidArgument(bad), /whole number/)
    }
  })

  it('an event id argument is at most the largest safe integer', () => {
    assert.equal(eventIdArgument('9007199254740991'), Number.MAX_SAFE_INTEGER)
    for (const bad of ['9007199254740992', '-1', 'x']) assert.throws(() => eventIdArgument(bad))
  })

  it('an address argument has 20 bytes', () => {
    assert.equal(addressArgument(`0x${'00'.repeat(20)}`).length, 20)
    for (const bad of ['0x', `0x${'00'.repeat(19)}`, `0x${'00'.repeat(21)}`, 'rook.eth']) {
      assert.throws(() => addressArgument(bad), /40 hex digits/)
    }
  })

  it('a channel id argument is 1 to 16 characters, and the error says which', () => {
    assert.equal(channelIdArgument('a-1'), 'a-1')
    for (const bad of ['', 'Birds', 'x'.repeat(17), '-a', 'a b']) {
      assert.throws(() => channelIdArgument(bad), /1 to 16 characters of a-z, 0-9 and -/)
    }
  })

  it('a target argument is a cast or a URL', () => {
    assert.deepEqual(targetArgument(`7/${hash}`), { fid: 7, hash: new Uint8Array(20).fill(0x1f) })
    assert.deepEqual(targetArgument('https://example.com/1/2'), { url: 'https://example.com/1/2' })
    assert.deepEqual(targetArgument('chain://eip155:1'), { url: 'chain://eip155:1' })
    for (const bad of [`0/${hash}`, `7/${hash}00`, `7/${hash.slice(2)}`, `${hash}00`, 'rook']) {
      assert.throws(() => targetArgument(bad))
    }
  })

  it('a cast may be named by its hash alone or by a link to its page', () => {
    const bytes = new Uint8Array(20).fill(0x1f)
    const link = `http://127.0.0.1:2290/cast/${hash}`
    assert.deepEqual(targetArgument(hash), new CastHash(bytes))
    for (const one of [link, `${link}/`, `${link}?a=1#b`, `https://birds.example/cast/${hash}`]) {
      assert.deepEqual(targetArgument(one), new CastHash(bytes, one))
      assert.deepEqual(ownCastArgument(one), { hash: bytes })
      assert.equal(castHashArgument(one), hash)
    }
    for (const text of [hash, `7/${hash}`, `rook/${hash.toUpperCase().replace('X', 'x')}`]) {
      assert.equal(castHashArgument(text), hash)
    }
    // Addresses of other pages are no casts.
    for (const url of [`${link}00`, `http://127.0.0.1:2290/x/${hash}`, `${link}/likes`]) {
      assert.deepEqual(targetArgument(url), { url })
      assert.throws(() => ownCastArgument(url), /a link to its page/)
    }
  })

  it('a key request argument is its token or any link with the token', () => {
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
  it('untrusted text is printed without control and bidirectional characters', () => {
    assert.equal(oneLine('a\u001b[2Jb\r\nc\u009bd\u202ee', 60), 'a [2Jb c d e')
  })

  it('a long line is cut between characters, not within one', () => {
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

  it('a key file that does not exist has no accounts', () => {
    assert.deepEqual(readKeyFile(file), { accounts: [], keys: [], acting: {} })
  })

  it('only the user may read the key file, which keeps accounts in order', () => {
    saveAccount(file, account(1))
    saveAccount(file, account(2))
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(join(dir, 'new')).mode & 0o777, 0o700)
    assert.deepEqual(readKeyFile(file).accounts, [account(1), account(2)])
  })

  it('the key file replaces the account of an address, and removes it on request', () => {
    saveAccount(file, { ...account(1), fid: 9 })
    assert.deepEqual(
      readKeyFile(file).accounts.map(({ fid }) => fid),
      [2, 9],
    )
    forgetAccount(file, account(1))
    assert.deepEqual(readKeyFile(file).accounts, [account(2)])
  })

  it('the key file keeps approved keys beside the accounts', () => {
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
      acting: {},
    })
  })

  it('the account that acts belongs to the data of a hub, and files of earlier versions are read', () => {
    const earlier = { accounts: [account(2)], acting: { 'http://hub': 7 } }
    writeFileSync(file, JSON.stringify(earlier))
    assert.deepEqual(readKeyFile(file), { keys: [], ...earlier })
    saveStore(file, account(2), 'first')
    saveActing(file, 'http://other', { fid: 8, store: 'first' })
    assert.deepEqual(readKeyFile(file), {
      accounts: [{ ...account(2), store: 'first' }],
      keys: [],
      acting: { 'http://hub': 7, 'http://other': { fid: 8, store: 'first' } },
    })
  })

  it('a file that is not a key file is never overwritten', () => {
    for (const content of [
      'not JSON',
      '[]',
      '{"accounts":[{"fid":1}]}',
      '{"accounts":[],"acting":{"http://hub":{"fid":-1}}}',
      '{"accounts":[],"acting":{"http://hub":null}}',
    ]) {
      writeFileSync(file, content)
      assert.throws(() => saveAccount(file, account(1)), /is not a key file/)
      assert.equal(readFileSync(file, 'utf8'), content)
    }
  })
})

describe('a failure', () => {
  it('a failure is printed as one sentence without a stack', () => {
    const { text, exitCode } = describeFailure(new Failure('it does not work'))
    assert.deepEqual([text, exitCode], ['rookery: it does not work', 1])
  })

  it('a port in use is reported in words', () => {
    const error = { code: 'EADDRINUSE', syscall: 'listen', address: '127.0.0.1', port: 2281 }
    const { text } = describeFailure(Object.assign(new Error('listen EADDRINUSE'), error))
    assert.match(text!, /^rookery: 127\.0\.0\.1:2281 is in use by another program\./)
  })
})

describe('commands as they are typed', () => {
  it('a hint begins as its reader types commands: in a clone, with npx, and when installed for everybody', (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'rookery-path-'))
    t.after(() => rmSync(directory, { recursive: true }))
    writeFileSync(join(directory, 'rookery'), '')
    const cases = [
      [{ npm_package_name: 'rookery', npm_command: 'run' }, true, 'npm run -s rookery --'],
      [{}, true, 'npm run -s rookery --'],
      [
        { npm_command: 'exec', npm_package_name: 'their-app', PATH: directory },
        false,
        'npx rookery',
      ],
      [{ npm_command: 'exec', npm_package_name: 'rookery' }, false, 'npx rookery'],
      [{ PATH: '/bin' }, false, 'npx rookery'],
      [{ PATH: `/bin:${directory}` }, false, 'rookery'],
      [{ PATH: `/bin:${directory}` }, true, 'rookery'],
    ] as const
    for (const [env, isClone, words] of cases) assert.equal(invocationOf(env, isClone), words)
  })

  it('--json may stand anywhere on the command line, and what only looks like it stays where it is', () => {
    const cases = [
      ['--json status', 'status --json'],
      ['--json dev clock +28d', 'dev clock +28d --json'],
      ['dev --json clock --port 3290', 'dev clock --json --port 3290'],
      ['--json cast --parent x hello', 'cast --json --parent x hello'],
      ['cast -- --json', 'cast -- --json'],
      ['status --hub x --json', 'status --hub x --json'],
      ['--json', '--json'],
    ]
    for (const [typed, words] of cases) {
      assert.equal(argumentsOf(typed!.split(' ')).join(' '), words)
    }
  })

  it('every command of an example begins as its reader types it, and prose stays', (t) => {
    t.after(() => setInvocation('rookery'))
    setInvocation('npx rookery')
    const cases = {
      '  rookery account create && rookery cast "hi"':
        '  npx rookery account create && npx rookery cast "hi"',
      '  echo "rookery is here" | rookery cast -': '  echo "rookery is here" | npx rookery cast -',
      '  ROOKERY_DATA_DIR=/srv/rookery rookery serve':
        '  ROOKERY_DATA_DIR=/srv/rookery npx rookery serve',
      '  eval "$(rookery completion bash)"': '  eval "$(npx rookery completion bash)"',
      'Runs a rookery on this machine.': 'Runs a rookery on this machine.',
    }
    for (const [text, shown] of Object.entries(cases)) assert.equal(withHints(text), shown)
  })
})
