// The programs of the quick starts (docs/guide/build.md), as their readers run them against `npm start`.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createAppClient, createWalletClient, viemConnector } from '@farcaster/auth-client'
import type { Browser } from 'playwright-core'
import { stringToHex } from 'viem'
import { miniAppAt } from '../src/testing/mini-app.ts'
import type { NetworkAccount } from '../src/testing/network-parts.ts'
import { startBrowser, tellOfFailures } from './browser.ts'
import { press } from './journeys/mini-app-host.ts'
import { PATIENCE_MS } from './patience.ts'
import {
  COMPILE_CACHE,
  createPlace,
  type Program,
  ROOT,
  startCommands,
  startProgram,
} from './program.ts'

const POLL_MS = 50
const KEY = 'development'

describe('the quick starts', { concurrency: 1 }, () => {
  let program: Program
  let place: Awaited<ReturnType<typeof createPlace>>
  const running: ChildProcess[] = []
  const commands = startCommands()
  before(async () => {
    place = await createPlace('sqlite')
    program = await startProgram('start', { ...place.env, ROOKERY_VIEWS: 'on' })
    await until('the app API', async () => {
      const headers = { 'x-api-key': KEY }
      const url = `${program.web}/app/v2/farcaster/user/bulk?fids=1`
      return (await fetch(url, { headers })).ok
    })
  })
  after(async () => {
    for (const child of running) child.kill('SIGKILL')
    commands.stop()
    await program.stop()
    await place.remove()
  })

  /** Runs a program of examples/quick-start until the end of the tests. */
  const run = (name: string, args: readonly string[], env: Record<string, string>) => {
    const file = join(ROOT, 'examples', 'quick-start', name)
    const { PATH } = process.env
    const child = spawn(process.execPath, [file, program.web, ...args], {
      cwd: ROOT,
      env: { PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, PORT: '0', ...env },
    })
    running.push(child)
    const printed = { text: '' }
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed.text += text
      })
    }
    return {
      says: (words: RegExp) =>
        until(`${name} to say ${words}`, () => {
          assert.equal(child.exitCode, null, printed.text)
          return words.exec(printed.text) ?? undefined
        }),
      /** Fails with what it printed when it has ended by itself. */
      checkRuns() {
        assert.equal(child.exitCode, null, printed.text)
      },
      async stop() {
        child.kill('SIGTERM')
        await once(child, 'close')
      },
    }
  }
  const cast = async (text: string, fid: string) => {
    const { code, stderr } = await commands.run(program.client, 'cast', text, '--fid', fid)
    assert.equal(code, 0, stderr)
  }

  it('the bot makes an account, answers who mentions it, also what came while it was stopped', async () => {
    const file = join(place.env.ROOKERY_DATA_DIR!, 'bot.json')
    const first = run('bot.ts', ['echo-bot'], { BOT_FILE: file })
    const [, fid] = await first.says(/^fid (\d+) is @echo-bot$/m)
    const answers = async (text: string) => {
      const url = `${program.hub}/v1/castsByFid?fid=${fid}`
      const { messages } = (await (await fetch(url)).json()) as { messages: { data: object }[] }
      return JSON.stringify(messages).split(`You said: ${text}`).length - 1
    }
    // It follows what happens from now on.
    let asked = 0
    await until('the bot to answer', async () => {
      await cast(`@echo-bot are you there? ${++asked}`, '1')
      return (await answers('are you there?')) > 0 || undefined
    })
    await first.stop()
    await cast('@echo-bot did you miss this?', '1')
    const again = run('bot.ts', ['echo-bot'], { BOT_FILE: file })
    assert.equal((await again.says(/^fid (\d+) is @echo-bot$/m))[1], fid)
    await until('an answer to what came while it was stopped', async () => {
      again.checkRuns()
      return (await answers('did you miss this?')) > 0 || undefined
    })
    assert.equal(await answers('did you miss this?'), 1)
  })

  it('the webhook receiver takes signed deliveries and refuses others', async () => {
    const receiver = run('webhook-receiver.ts', [KEY, '2'], {})
    const [, url] = await receiver.says(/^waiting for casts of 2 at (\S+)$/m)
    const unsigned = await fetch(url!, { method: 'POST', body: '{}' })
    assert.equal(unsigned.status, 401)
    await cast('told by a webhook', '2')
    await receiver.says(/^cast\.created by @raven: told by a webhook$/m)

    const file = join(place.env.ROOKERY_DATA_DIR!, 'session.ndjson')
    const dev = (...args: string[]) => commands.run(program.client, 'dev', ...args)
    assert.match((await dev('record', file)).stdout, /^Recorded 1 in /)
    for (const to of [url!, url!.replace('127.0.0.1', 'localhost')]) {
      const { stdout, stderr } = await dev('replay', file, '--to', to)
      assert.match(stdout, /^200 {2}webhook /, stderr)
    }
    const elsewhere = await dev('replay', file, '--to', `${url}/elsewhere`)
    assert.ok(elsewhere.stdout.includes(`it has ${url}:`), elsewhere.stdout)
  })

  it('the web app greets who has signed in by name', async () => {
    const app = run('web-app.ts', [], {})
    const [url] = await app.says(/http:\/\/127\.0\.0\.1:\d+/)
    const first = await fetch(url)
    assert.match(await first.text(), /Sign in/)
    const cookie = first.headers.get('set-cookie')!.split(';')[0]!
    const page = async (path: string) => (await fetch(url + path, { headers: { cookie } })).text()
    const [, link] = /href="([^"]+)"/.exec(await page('/sign-in'))!
    await approve(link!.replaceAll('&#38;', '&'))
    const greeting = await until('the greeting', async () => {
      const html = await page('/')
      return html.includes('Hello') ? html : undefined
    })
    assert.match(greeting, /<h1>Hello, \w+/)
  })

  let browser: Browser | undefined
  tellOfFailures(() => browser)
  it('the mini app greets its user in the web client, knows them by their token, and notifies who adds it', async (t) => {
    const greeter = run('mini-app.ts', [], {})
    const [url] = await greeter.says(/http:\/\/localhost:\d+/)
    const checked = await commands.run(program.client, 'mini-app', 'check', url)
    assert.equal(checked.code, 0, checked.stdout)
    const response = await fetch(`${program.operations}/dev/accounts`)
    const { accounts } = (await response.json()) as { accounts: NetworkAccount[] }
    const raven = accounts.find(({ name }) => name === 'raven')!
    browser = await startBrowser()
    t.after(() => browser?.close())
    const page = await browser.newPage()
    const app = miniAppAt(url, program, async () => Math.floor(Date.now() / 1000))
    const frame = await app.open(page, raven)
    await frame.getByText('Hello Raven').waitFor()
    await frame.getByRole('button', { name: 'Who am I?' }).click()
    await press(page, 'Sign in')
    await frame.getByText(`You are fid ${raven.fid}`).waitFor()
    await frame.getByRole('button', { name: 'Add' }).click()
    await press(page, 'Add')
    await greeter.says(new RegExp(`^miniapp_added by fid ${raven.fid}$`, 'm'))
    await greeter.says(new RegExp(`^notified fid ${raven.fid}: 200$`, 'm'))
    await page.goto(`${program.web}/notifications`)
    await page.getByText('Greeter says hello.').waitFor()
  })

  /** What a person does in the page that the link opens. */
  async function approve(link: string): Promise<void> {
    const relay = `${program.web}/platform`
    const ethereum = viemConnector({ rpcUrl: `${program.web}/accounts` })
    const wallet = createWalletClient({ relay, ethereum })
    const channelToken = new URL(link).searchParams.get('channelToken')!
    const { data } = await createAppClient({ relay, ethereum }).status({ channelToken })
    const { accounts } = (await (await fetch(`${relay}/dev/accounts`)).json()) as {
      accounts: { fid: number; custodyAddress: `0x${string}` }[]
    }
    const { fid, custodyAddress: address } = accounts.find((one) => one.fid === 3)!
    const { siweUri: uri, domain } = (
      data as unknown as { signatureParams: { siweUri: string; domain: string } }
    ).signatureParams
    const { message } = wallet.buildSignInMessage({ domain, uri, nonce: data.nonce, address, fid })
    const response = await fetch(`${relay}/dev/wallet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method: 'personal_sign', params: [stringToHex(message), address] }),
    })
    const { result } = (await response.json()) as { result: `0x${string}` }
    const signed = { message, signature: result, fid, channelToken, authKey: '' }
    const { response: answer } = await wallet.authenticate(signed as never)
    assert.ok(answer.ok)
  }
})

async function until<T>(
  what: string,
  find: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (const start = Date.now(); ; await delay(POLL_MS)) {
    const found = await find()
    if (found) return found
    if (Date.now() - start > PATIENCE_MS) throw new Error(`waited for ${what}`)
  }
}
