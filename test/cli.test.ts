import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import type { Command } from 'commander'
import { describeFailure } from '../src/cli/failure.ts'
import { createProgram } from '../src/cli/program.ts'
import { decodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { LONG } from './effort.ts'
import {
  advanceClock,
  type Commands,
  createPlace,
  type Env,
  type Finished,
  launch,
  type Program,
  rookery,
  startCommands,
  startProgram,
} from './program.ts'
import { ENGINES } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
const json = async (url: string): Promise<any> => (await fetch(url)).json()

/** Commands use HTTP alone, and the engines behind it are the subject of the tests of the interfaces. */
const BEHIND = LONG ? ENGINES : (['sqlite'] as const)

describe('the command line with a server', { concurrency: true }, () => {
  for (const engine of BEHIND) {
    describe(`on ${engine}`, { concurrency: 1 }, () => {
      let program: Program
      let commands: Commands
      let env: Env
      let remove: () => Promise<void>

      before(async () => {
        const place = await createPlace(engine)
        remove = place.remove
        program = await startProgram('start', place.env)
        env = program.client
        commands = startCommands()
      })
      after(async () => {
        commands.stop()
        await program.stop()
        await remove()
      })

      const hashIn = ({ stdout, stderr }: Finished, fid: number): string => {
        const [, hash] = new RegExp(`${fid}/(0x[0-9a-f]{40})`).exec(stdout) ?? []
        assert(hash, `no hash in: ${stdout} ${stderr}`)
        return hash
      }

      it('cast posts as fid 1 without any setup', async () => {
        const result = await commands.run(env, 'cast', 'Hello from the shell', '--fid', '1')
        assert.equal(result.code, 0, result.stderr)
        const cast = await json(`${program.hub}/v1/castById?fid=1&hash=${hashIn(result, 1)}`)
        assert.equal(cast.data.castAddBody.text, 'Hello from the shell')
      })

      it('cast replies and embeds; react likes and removes the like', async () => {
        const hash = hashIn(await commands.run(env, 'cast', 'One', '--fid', '2'), 2)
        const target = `2/${hash}`
        const embed = ['--embed', 'https://example.com', '--embed', target]
        const replied = await commands.run(
          env,
          'cast',
          'Two',
          '--fid',
          '3',
          '--parent',
          target,
          ...embed,
        )
        const liked = await commands.run(env, 'react', 'like', target, '--fid', '3')
        assert.equal(liked.code, 0, liked.stderr)
        const replies = await json(`${program.hub}/v1/castsByParent?fid=2&hash=${hash}`)
        assert.equal(replies.messages[0].hash, hashIn(replied, 3))
        assert.equal(replies.messages[0].data.castAddBody.embeds.length, 2)
        const path = `/v1/reactionById?fid=3&target_fid=2&target_hash=${hash}&reaction_type=1`
        assert.equal((await fetch(program.hub + path)).status, 200)
        await advanceClock(program, 2) // timestamps of messages are seconds: the later one wins
        const undone = await commands.run(env, 'react', 'like', target, '--fid', '3', '--undo')
        assert.equal(undone.code, 0, undone.stderr)
        assert.equal((await fetch(program.hub + path)).status, 404)
      })

      it('follow --json prints the answer of the hub', async () => {
        const result = await commands.run(env, 'follow', '9', '--fid', '1', '--json')
        assert.equal(JSON.parse(result.stdout).data.linkBody.targetFid, 9)
      })

      it('cast --print writes a signed message that curl can submit', async () => {
        const { stdout } = await rookery(env, 'cast', 'For curl', '--fid', '1', '--print')
        const bytes = Buffer.from(stdout, 'latin1')
        const body = decodeMessage(bytes).data.body
        assert(body.case === 'castAddBody' && body.value.text === 'For curl')
        const headers = { 'content-type': 'application/octet-stream' }
        const answer = await fetch(`${program.hub}/v1/submitMessage`, {
          method: 'POST',
          headers,
          body: bytes,
        })
        assert.equal(answer.status, 200)
      })

      it('account create saves keys that only the user can read, and casts are posted as it', async () => {
        const recovery = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
        const created = await commands.run(
          env,
          'account',
          'create',
          '--recovery',
          recovery,
          '--json',
        )
        assert.equal(created.code, 0, created.stderr)
        const { fid } = JSON.parse(created.stdout)
        assert.equal(statSync(env.ROOKERY_KEYS!).mode & 0o777, 0o600)
        const account = await json(`${program.accounts}/v1/account?fid=${fid}`)
        assert.equal(account.recoveryAddress, recovery)
        const keys = await json(`${program.accounts}/v1/keys?fid=${fid}`)
        assert.equal(keys.keys[0].requestFid, fid)
        const cast = await commands.run(env, 'cast', 'I am new here')
        hashIn(cast, fid)
      })

      it('events prints events in order from a given id on', async () => {
        const all = (await commands.run(env, 'events')).stdout.trim().split('\n')
        assert(all.length > 100)
        const middle = all[50]!.split(' ')[0]!
        const rest = (await commands.run(env, 'events', '--from', middle, '--json')).stdout.trim()
        const ids = rest.split('\n').map((line) => String(JSON.parse(line).id))
        assert.deepEqual(
          ids,
          all.slice(50).map((line) => line.split(' ')[0]),
        )
      })

      it('events --follow prints new events and ends when its reader ends', async () => {
        const follower = launch(env, ['events', '--follow'])
        const ended = once(follower, 'exit')
        let seen = ''
        follower.stdout!.setEncoding('utf8').on('data', (text) => {
          seen += text
        })
        const hash = hashIn(await commands.run(env, 'cast', 'While you watch', '--fid', '4'), 4)
        while (!seen.includes(hash)) await delay(20)
        follower.stdout!.destroy()
        await commands.run(env, 'cast', 'Nobody there', '--fid', '4')
        assert.equal((await ended)[0], 0)
      })

      it('commands sign with the time of the network', async () => {
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify({ advanceSeconds: 7 * 86_400 })
        await fetch(`${program.operations}/dev/clock`, { method: 'POST', headers, body })
        const created = await commands.run(env, 'account', 'create')
        assert.equal(created.code, 0, created.stderr)
        const cast = JSON.parse((await commands.run(env, 'cast', 'A week later', '--json')).stdout)
        const seconds = 1_609_459_200 + cast.data.timestamp
        assert(seconds > Date.now() / 1000 + 6 * 86_400)
      })

      it('a refusal of the hub is printed in one line', async () => {
        const result = await commands.run(env, 'cast', 'x'.repeat(10_001), '--fid', '1')
        assert.equal(result.code, 1)
        assert.match(result.stderr, /^rookery: http\S+ refused: .+ \(bad_request\.\w+\)\n$/)
      })
    })
  }
})

describe('the command line', { concurrency: 4 }, () => {
  const nowhere = { ROOKERY_KEYS: '/nonexistent/keys.json', ROOKERY_HUB_PORT: '9' }

  it('an unreachable hub is reported in one line with the reason', async () => {
    const events = await rookery(nowhere, 'events', '--hub', 'http://127.0.0.1:64999')
    assert.deepEqual([events.code, events.stdout], [1, ''])
    assert.match(
      events.stderr,
      /^rookery: http:\/\/127.0.0.1:64999 cannot be reached \(connection refused\).*npm start\n$/,
    )
  })

  it('a missing key is reported in one line with the fid', async () => {
    const { code, stderr } = await rookery(
      nowhere,
      'cast',
      'x',
      '--fid',
      '7',
      '--operations',
      'http://127.0.0.1:64999',
    )
    assert.equal(code, 1)
    assert.match(stderr, /^rookery: no key of fid 7 .*account create\n$/)
  })

  const misuses = [
    ['cast'],
    ['cast', 'x', '--fid', '0'],
    ['cast', 'x', '--parent', '1/0x00'],
    ['cast', 'x', '--json', '--print'],
    ['react', 'hate', '1/0x1111111111111111111111111111111111111111'],
    ['follow', 'Some Body'],
    ['events', '--from', '-1'],
    ['account', 'create', '--recovery', '0x1'],
  ]
  for (const args of misuses) {
    it(`wrong usage exits with 2: ${args.join(' ')}`, async () => {
      checkMisuse(await parse(nowhere, args))
    })
  }

  it('the process exits with 2 after wrong usage', async () => {
    checkMisuse(await rookery(nowhere, 'fly'))
    checkMisuse(await rookery(nowhere, 'start', '--port', '1'))
  })

  it('the help of every command shows an example', async () => {
    const help = await rookery({}, '--help')
    const names = [...help.stdout.matchAll(/^ {2}([a-z]+)(?: \[| <| {2})/gm)].map(
      ([, name]) => name!,
    )
    assert(names.length >= 7, help.stdout)
    for (const name of names) {
      const own = name === 'account' ? ['account', 'create'] : [name]
      const { code, stdout } = await parse({}, [...own, '--help'])
      assert.equal(code, 0)
      assert.match(stdout, /Examples?:\n {2}(?:.*\\\n)?.*\brookery /, name)
    }
  })

  it('help never shows the password of ROOKERY_RPC_AUTH', async () => {
    const { stdout } = await parse({ ROOKERY_RPC_AUTH: 'ann:secret-word' }, ['cast', '--help'])
    assert.match(stdout, /Usage: rookery cast/)
    assert.doesNotMatch(stdout, /secret-word/)
  })
})

function checkMisuse({ code, stdout, stderr }: Finished): void {
  assert.deepEqual([code, stdout], [2, ''], stderr)
  assert.match(stderr, /^error: [\s\S]*See: rookery( \w+)* --help/)
}

/** Runs a command that ends while its arguments are parsed, without a process. */
async function parse(env: Env, args: readonly string[]): Promise<Finished> {
  const finished: Finished = { code: 0, stdout: '', stderr: '' }
  const output = {
    writeOut: (text: string) => {
      finished.stdout += text
    },
    writeErr: (text: string) => {
      finished.stderr += text
    },
  }
  const program = await createProgram(env)
  for (const command of withSubcommands(program)) command.configureOutput(output)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    const { text = '', exitCode } = describeFailure(error)
    finished.stderr += text
    finished.code = exitCode
  }
  return finished
}

const withSubcommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
]
