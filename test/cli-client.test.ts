// The command line as a client: people by name, mentions, channels, profiles, accounts and keys.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findProgram } from './debian.ts'
import { LONG } from './effort.ts'
import { PATIENCE_MS } from './patience.ts'
import { createPlace, type Env, type Program, startCommands, startProgram } from './program.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
const json = async (url: string): Promise<any> => (await fetch(url)).json()

/** What each shell runs to complete two lines, and what it prints. zsh completes only in a terminal. */
const COMPLETIONS: readonly (readonly [shell: string, script: string, completed: RegExp])[] = [
  [
    'bash',
    `source "$1"
     COMP_WORDS=(rookery name re); COMP_CWORD=2; _rookery; echo "\${COMPREPLY[@]}"
     COMP_WORDS=(rookery name register bob --y); COMP_CWORD=4; _rookery; echo "\${COMPREPLY[@]}"
     COMP_WORDS=(rookery react r); COMP_CWORD=2; _rookery; echo "\${COMPREPLY[@]}"`,
    /^register release\n--yes\nrecast\n$/,
  ],
  [
    'zsh',
    `zmodload zsh/zpty
     zpty shell zsh -f -i
     zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; source $1; print rea''dy"
     zpty -r shell line '*ready*'
     zpty -w -n shell $'rookery name reg\\t'
     zpty -r shell line '*name register*' && print completed
     zpty -d shell`,
    /^completed\n$/,
  ],
  [
    'fish',
    `source $argv[2]
     complete -C 'rookery account '
     complete -C 'rookery react r'
     complete -C 'rookery react like --und'
     complete -C 'rookery name register bob --y'`,
    /^create\nexport\nlist\nuse\nrecast\n--undo\n--yes/,
  ],
]

describe('the command line as a client', { concurrency: 1 }, () => {
  const commands = startCommands()
  let program: Program
  let env: Env
  let remove: () => Promise<void>
  before(async () => {
    const place = await createPlace('sqlite')
    remove = place.remove
    program = await startProgram('start', { ...place.env, ROOKERY_VIEWS: 'on' })
    env = program.client
  })
  after(async () => {
    commands.stop()
    await program.stop()
    await remove()
  })

  const succeed = async (...args: string[]) => {
    const result = await commands.run(env, ...args)
    assert.equal(result.code, 0, result.stderr)
    return result
  }
  const succeedJson = async (...args: string[]) =>
    JSON.parse((await succeed(...args, '--json')).stdout)
  const botFile = () => join(dirname(env.ROOKERY_KEYS!), 'bot.json')
  const fail = async (...args: string[]) => {
    const result = await commands.run(env, ...args)
    assert.equal(result.code, 1, result.stdout)
    return result.stderr
  }
  /** The fid and the username of another account of the world. */
  const someone = async () => {
    const { proofs } = await json(`${program.hub}/v1/userNameProofsByFid?fid=2`)
    return { fid: 2, name: proofs[0].name as string }
  }

  it('an account may be named by its fname wherever a fid is asked', async () => {
    const { fid, name } = await someone()
    const followed = await succeedJson('follow', name, '--fid', '9')
    assert.equal(followed.data.linkBody.targetFid, fid)
    const cast = await succeedJson('cast', 'By name', '--fid', `@${name}`)
    assert.equal(cast.data.fid, fid)
    const liked = await succeedJson('react', 'like', `${name}/${cast.hash}`, '--fid', '9')
    assert.deepEqual(liked.data.reactionBody.targetCastId, { fid, hash: cast.hash })
    assert.match(await fail('follow', 'nosuchname'), /no account on .* has the name "nosuchname"/)
  })

  it('an @name in a cast becomes a mention, and --no-mentions keeps it as text', async () => {
    const { fid, name } = await someone()
    const { data } = await succeedJson('cast', `Grüße an @${name}!`, '--fid', '1')
    assert.deepEqual(data.castAddBody.mentions, [fid])
    assert.equal(data.castAddBody.text, 'Grüße an !')
    assert.deepEqual(data.castAddBody.mentionsPositions, [Buffer.from('Grüße an ').length])
    const plain = await succeedJson('cast', `Hi @${name}`, '--fid', '1', '--no-mentions')
    assert.deepEqual(plain.data.castAddBody.mentions, [])
    assert.equal(plain.data.castAddBody.text, `Hi @${name}`)
  })

  it('cast --channel posts in a channel', async () => {
    const { url } = await succeedJson('channel', 'create', 'finches', '--fid', '1')
    const { data } = await succeedJson('cast', 'Tweet', '--channel', 'finches', '--fid', '1')
    assert.equal(data.castAddBody.parentUrl, url)
    assert.match(await fail('cast', 'x', '--channel', 'nosuch'), /has no channel "nosuch"/)
  })

  it('a refusal names the field that is at fault', async () => {
    const said = await fail('poll', 'Tea?', '--answer', 'Yes', '--fid', '1')
    assert.match(said, /refused: answers: must not have fewer than 2 items/)
    const asked = ['poll', 'Tea?', '--answer', 'Yes', '--answer', 'No', '--fid', '1']
    // Before the poll is made, which it would leave behind.
    assert.match(await fail(...asked, '--text', 'x'.repeat(10_001)), /would refuse the cast: /)
    await succeed(...asked)
  })

  it('what makes no sense is refused before anything is signed', async () => {
    assert.match(await fail('follow', '99999', '--fid', '1'), /fid 99999 is not registered/)
    assert.match(await fail('follow', '1', '--fid', '1'), /cannot follow itself/)
    const missing = `2/0x${'ab'.repeat(20)}`
    assert.match(await fail('react', 'like', missing, '--fid', '1'), /has no cast 2\/0xabab/)
    assert.match(await fail('cast', 'x', '--reply-to', missing, '--fid', '1'), /has no cast/)
  })

  it('timeline, show and thread print casts with their counts', async () => {
    const first = await succeedJson('cast', 'A first line\nand a second', '--fid', '4')
    const target = `4/${first.hash}`
    await succeed('cast', 'An answer', '--reply-to', target, '--fid', '5')
    await succeed('react', 'like', target, '--fid', '5')
    const isCounted = async () => {
      const { code, stdout } = await commands.run(env, 'show', first.hash, '--json')
      if (code !== 0) return false
      const { replies, reactions } = JSON.parse(stdout)
      return replies.count === 1 && reactions.likes_count === 1
    }
    // The app API follows the hub a moment later.
    while (!(await isCounted())) await delay(50)
    const shown = (await succeed('show', target)).stdout
    assert.match(shown, /\(fid 4\).*\n {2}A first line\n {2}and a second\n/)
    assert.match(shown, new RegExp(`4/${first.hash} {2}1 like, 0 recasts, 1 reply`))
    assert.match(
      (await succeed('thread', first.hash)).stdout,
      /A first line[\s\S]*\n {6}An answer\n/,
    )
    assert.match((await succeed('timeline', '--user', '4')).stdout, /A first line/)
    await succeed('follow', '4', '--fid', '9')
    const home = async () => (await succeed('timeline', '--fid', '9', '--limit', '5')).stdout
    while (!/A first line/.test(await home())) await delay(50)
    assert.match(await fail('show', `0x${'ab'.repeat(20)}`), /does not have it|refused/)
  })

  for (const [shell, script, completed] of COMPLETIONS) {
    it(`completion completes commands and options in ${shell}`, async (t) => {
      const program = await findProgram([shell], LONG ? shell : undefined).catch((error) => error)
      if (program instanceof Error) return t.skip(program.message)
      const file = join(dirname(env.ROOKERY_KEYS!), `completion.${shell}`)
      writeFileSync(file, (await succeed('completion', shell)).stdout)
      const options = {
        timeout: PATIENCE_MS,
        env: { PATH: process.env.PATH, HOME: dirname(file) },
      }
      const { stdout } = await promisify(execFile)(program, ['-c', script, 'sh', file], options)
      assert.match(stdout, completed)
    })
  }

  it('delete removes a cast of the acting account and no other', async () => {
    const { hash } = await succeedJson('cast', 'Soon gone', '--fid', '1')
    assert.match(await fail('delete', `1/${hash}`, '--fid', '2'), /cannot delete a cast of fid 1/)
    await succeed('delete', hash, '--fid', '1')
    assert.equal((await fetch(`${program.hub}/v1/castById?fid=1&hash=${hash}`)).status, 404)
    assert.match(await fail('delete', hash, '--fid', '1'), /has no cast/)
  })

  it('profile set changes entries and profile show prints them', async () => {
    const set = ['--display', 'Ada', '--bio', 'I count', '--fid', '3']
    const profile = await succeedJson('profile', 'set', ...set)
    assert.deepEqual([profile.fid, profile.display, profile.bio], [3, 'Ada', 'I count'])
    assert.match((await succeed('profile', 'show', '3')).stdout, /^fid 3\n[\s\S]*display {3}Ada\n/)
    assert.match(await fail('profile', 'set', '--fid', '3'), /give at least one of --username/)
  })

  it('a cast is found by its hash or a link to its page, and other links stay URLs', async () => {
    const { hash } = await succeedJson('cast', 'Found by its link', '--fid', '2')
    const link = `${program.web}/cast/${hash}`
    const likes = async () => {
      const path = `/v1/reactionsByCast?target_fid=2&target_hash=${hash}&reaction_type=Like`
      return (await json(program.hub + path)).messages.length
    }
    // The app API learns of a cast some milliseconds after the hub.
    while ((await commands.run(env, 'show', hash)).code !== 0) await delay(50)
    await succeed('react', 'like', link, '--fid', '3')
    await succeed('react', 'like', hash, '--fid', '4')
    assert.equal(await likes(), 2)
    await succeed('react', 'like', link, '--undo', '--fid', '3')
    assert.equal(await likes(), 1)
    for (const [text, option, target] of [
      ['an answer', '--reply-to', link],
      ['another answer', '--reply-to', hash],
      ['a quote', '--embed', link],
    ] as const) {
      const { data } = await succeedJson('cast', text, '--fid', '3', option, target)
      const { parentCastId, embeds } = data.castAddBody
      assert.deepEqual(option === '--embed' ? embeds[0].castId : parentCastId, { fid: 2, hash })
    }
    for (const command of ['show', 'thread']) {
      assert.match((await succeed(command, link)).stdout, /Found by its link/)
    }
    const foreign = `https://elsewhere.example/cast/0x${'ab'.repeat(20)}`
    const { data } = await succeedJson('react', 'like', foreign, '--fid', '3')
    assert.equal(data.reactionBody.targetUrl, foreign)
    const missing = `/cast/0x${'ab'.repeat(20)}`
    assert.match(await fail('react', 'like', program.web + missing), /has no cast 0xabab/)
    assert.match(await fail('react', 'like', missing.slice(6)), /has no cast 0xabab/)
    await succeed('delete', link, '--fid', '2')
  })

  it('the first new account acts until another one is chosen', async () => {
    assert.equal((await succeedJson('whoami')).fid, 1)
    const first = await commands.run(env, 'account', 'create')
    assert.match(first.stderr, /fid 11 acts from now on .* in place of fid 1\./)
    const second = await commands.run(env, 'account', 'create')
    assert.match(second.stderr, /fid 11 still acts .* account use 12/)
    assert.equal((await succeedJson('whoami')).fid, 11)
    await succeed('account', 'use', '12')
    assert.equal((await succeedJson('whoami')).fid, 12)
    const listed = (await succeed('account', 'list')).stdout
    assert.match(listed, /^\* 12 +- /m)
    assert.match(listed, /^ {2}11 /m)
    assert.match(listed, /^ {2}1 +rook +0x/m)
    await succeed('name', 'register', 'fledgling', '--fid', '11', '--yes')
    assert.match((await succeed('account', 'list')).stdout, /^ {2}11 +fledgling +0x/m)
    assert.match(await fail('account', 'use', '4000'), /no key of fid 4000 is known/)
  })

  it('account export prints the keys of an account', async () => {
    const { fid, custodyPrivateKey, appPrivateKey } = await succeedJson('account', 'export', '11')
    assert.equal(fid, 11)
    for (const key of [custodyPrivateKey, appPrivateKey]) assert.match(key, /^0x[0-9a-f]{64}$/)
  })

  it('key remove ends what a key may sign', async () => {
    const key = JSON.parse((await succeed('key', 'list', '--fid', '11', '--json')).stdout)
    assert.equal(key.state, 'active')
    assert.match(await fail('key', 'remove', key.key, '--fid', '11'), /add --yes/)
    await succeed('key', 'remove', key.key, '--fid', '11', '--yes')
    assert.equal((await succeed('key', 'list', '--fid', '11')).stdout, '')
    const refusal = await fail('cast', 'Too late', '--fid', '11')
    assert.match(refusal, /refused: .*signer/)
  })

  it('key list shows a key that a message added, and key remove ends it without --yes', async () => {
    const { key } = await succeedJson(
      'key',
      'add',
      botFile(),
      '--gasless',
      '--days',
      '7',
      '--fid',
      '12',
    )
    const list = await succeed('key', 'list', '--fid', '12')
    const line = list.stdout.split('\n').find((one) => one.startsWith(key))!
    assert.match(line, /active +app fid 12, gasless, expires on \d{4}-\d\d-\d\d unless it is used$/)
    const lines = (await succeed('key', 'list', '--fid', '12', '--json')).stdout.trim().split('\n')
    assert.deepEqual(
      lines.map((one) => JSON.parse(one).expiresAt === undefined),
      [true, false],
    )
    await succeed('key', 'remove', key, '--fid', '12')
    assert.equal((await succeed('key', 'list', '--fid', '12')).stdout.includes(key), false)
    await succeed('cast', 'The other key stays', '--fid', '12')
  })

  it('key add makes keys of both kinds, keeps their private keys, and says why one is refused', async () => {
    const list = async () =>
      (await succeed('key', 'list', '--fid', '12', '--json')).stdout
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one))
    const before = await list()
    const file = botFile()
    const { stdout } = await succeed('key', 'add', file, '--fid', '12')
    assert.match(stdout, /^0x[0-9a-f]{64} signs for fid 12; its private key is in /)
    const key = stdout.split(' ')[0]
    const all = await list()
    assert.equal(all.length, before.length + 1)
    assert.equal(all.find((one) => one.key === key)?.state, 'active')
    await succeed('cast', 'By the new key', '--fid', '12', '--keys', file)
    assert.match(await fail('key', 'add', file, '--days', '7', '--fid', '12'), /add --gasless/)
    assert.match(await fail('key', 'add', env.ROOKERY_KEYS!, '--fid', '12'), /another file/)
    const usage = await commands.run(env, 'key', 'add', file, '--gasless', '--scopes', 'all')
    assert.deepEqual([usage.code, /castAdd, castRemove/.test(usage.stderr)], [2, true])
    // One is added a minute, and the key that was refused is not kept.
    await commands.run(env, 'key', 'add', file, '--gasless', '--fid', '12')
    const kept = readFileSync(file, 'utf8')
    const refusal = await fail('key', 'add', file, '--gasless', '--fid', '12')
    assert.match(refusal, /one gasless key a minute/)
    assert.equal(readFileSync(file, 'utf8'), kept)
  })

  it('storage lend lends units of an account to another one, and 0 units end that', async () => {
    const borrowed = async () => {
      const limits = await json(`${program.hub}/v1/storageLimitsByFid?fid=3`)
      return limits.unitDetails.reduce(
        (sum: number, one: { borrowedUnitSize: number }) => sum + one.borrowedUnitSize,
        0,
      )
    }
    const { stdout } = await succeed('storage', 'lend', 'heron', '5', '--fid', '1')
    assert.match(stdout, /^loan of 5 units to fid 3 by fid 1 is stored: 1\/0x/)
    assert.equal(await borrowed(), 5)
    assert.match(await fail('storage', 'lend', '4', '5000', '--fid', '1'), /insufficient storage/)
    assert.match(
      await fail('storage', 'lend', '4000', '1', '--fid', '1'),
      /fid 4000 is not registered/,
    )
    assert.equal((await commands.run(env, 'storage', 'lend', '3', '5001', '--fid', '1')).code, 2)
    // Of two loans of one second the one with the higher hash wins.
    const end = () => commands.run(env, 'storage', 'lend', '3', '0', '--fid', '1')
    for (let ended = await end(); ended.code !== 0; ended = await end()) {
      assert.match(ended.stderr, /conflicts with a more recent add/)
    }
    assert.equal(await borrowed(), 0)
  })

  it('name check tells whether a name is free, taken, reserved or locked', async () => {
    const { fid, name } = await someone()
    assert.match((await succeed('name', 'check', 'unclaimed')).stdout, /^unclaimed is free\n/)
    assert.match((await succeed('name', 'check', name)).stdout, new RegExp(`taken by fid ${fid},`))
    assert.match((await succeed('name', 'check', 'support')).stdout, /is reserved/)
    assert.match(await fail('name', 'check', 'Not a name'), /a name is 1 to 16 characters/)
  })

  it('a first name can be changed three times on the first day', async () => {
    const registered = await commands.run(env, 'name', 'register', 'tpyo', '--fid', '12')
    assert.match(registered.stderr, /after 28 days; .* for 24 hours: .*name release tpyo/)
    const names = ['tpyo', 'typ0', 'tippo', 'typo']
    for (const [at, held] of names.slice(0, -1).entries()) {
      await succeed('name', 'release', held, '--fid', '12')
      assert.equal((await succeedJson('name', 'check', held)).status, 'locked')
      await succeed('name', 'register', names[at + 1]!, '--fid', '12')
    }
    assert.match(await fail('name', 'release', 'typo', '--fid', '12'), /changed owners recently/)
  })

  it('name use makes a name that an account holds its username', async () => {
    const { fid } = await succeedJson('account', 'create')
    await succeed('name', 'register', 'spare', '--reserve', '--fid', `${fid}`)
    assert.match(await fail('name', 'use', 'spare', '--fid', '1'), /fid \d+ holds it/)
    await succeed('name', 'use', 'spare', '--fid', `${fid}`)
    assert.equal((await succeedJson('profile', 'show', `${fid}`)).username, 'spare')
  })

  it('after a reset no saved key acts for the account that has its fid now', async () => {
    const created = await succeedJson('account', 'create')
    const { fid } = created
    await succeed('account', 'use', String(fid))
    const key = JSON.parse(readFileSync(env.ROOKERY_KEYS!, 'utf8'))
    assert.match(key.accounts.at(-1).store, /^[0-9a-f]{32}$/)
    const reset = await fetch(`${program.operations}/dev/reset`, { method: 'POST' })
    assert.equal(reset.status, 200)
    const others = ['cast', 'follow', 'whoami', 'timeline'].map((name) =>
      name === 'cast' ? [name, 'x'] : name === 'follow' ? [name, '2'] : [name],
    )
    for (const args of others) {
      const said = await fail(...args)
      assert.match(said, /the network was reset.* is not of this network\. Run: .*account create/)
    }
    // Somebody else gets the fid.
    for (let newest = 0; newest < fid; ) {
      const created = await fetch(`${program.operations}/dev/accounts`, { method: 'POST' })
      newest = ((await created.json()) as { accounts: { fid: number }[] }).accounts[0]!.fid
    }
    for (const args of others) assert.match(await fail(...args), /the network was reset/)
    const listed = (await succeed('account', 'list')).stdout
    assert.match(listed, RegExp(`^  ${fid} .*not of the network that it serves now`, 'm'))
    assert.doesNotMatch(listed, /^\*/m)
    // Accounts that everybody knows can be named, and a new one acts at once.
    assert.equal((await succeedJson('cast', 'x', '--fid', '3')).data.fid, 3)
    const { fid: next } = await succeedJson('account', 'create')
    assert.equal((await succeedJson('whoami')).fid, next)
    assert.equal((await succeedJson('cast', 'after the reset')).data.fid, next)
    assert.equal((await fail('account', 'export', String(fid + 1000))).includes('reset'), false)
  })

  it('a key file of an earlier version is taken over when its key may sign here', async () => {
    const { fid } = await succeedJson('whoami')
    const file = env.ROOKERY_KEYS!
    const content = JSON.parse(readFileSync(file, 'utf8'))
    const accounts = content.accounts.map(({ store: _, ...one }: { store: string }) => one)
    writeFileSync(file, JSON.stringify({ ...content, accounts, acting: { [program.hub]: fid } }))
    assert.equal((await succeedJson('whoami')).fid, fid)
    const { storeId } = await json(`${program.hub}/v1/info`)
    const stores = JSON.parse(readFileSync(file, 'utf8')).accounts.map(
      ({ store }: { store?: string }) => store,
    )
    // Those of before the reset belong to no data that are known.
    assert.deepEqual([stores.at(-1), stores[0]], [storeId, undefined])
    assert.match(await fail('cast', 'x', '--fid', '4000'), /no key of fid 4000/)
  })
})
