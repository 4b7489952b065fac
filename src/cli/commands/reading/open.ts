import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { Failure } from '../../failure.ts'
import { note, printResult } from '../../output.ts'
import { at } from '../network.ts'

/** What opens an address in the browser of a person. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}
const LINUX_OPENER = ['xdg-open'] as const

type Options = { readonly web: string; readonly print?: true; readonly json?: true }

/** Adds open, which shows a page of the web client. */
export function addOpenCommand(program: Command, config: ClientConfig): void {
  program
    .command('open')
    .summary('open the web client in a browser: its home, an account, a cast or a channel')
    .argument('[target]', 'a fid, @name, 0x hash, <fid>/<0x hash> or /channel')
    .option('--web <url>', 'address of the front door', config.webUrl)
    .option('--print', 'print the address only')
    .addHelpText('after', '\nExample:\n  rookery open @bob --print')
    .action(open)
}

async function open(target: string | undefined, options: Options): Promise<void> {
  const url = at(options.web, pathOf(target))
  printResult(options, { url }, url)
  if (options.print || options.json) return
  const [command, ...args] = OPENERS[process.platform] ?? LINUX_OPENER
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.unref()
  const failed = once(child, 'spawn').then(
    () => false,
    () => true,
  )
  if (await failed) note('No browser could be started here: open the address yourself.')
}

function pathOf(target = ''): string {
  if (target === '') return '/'
  const [, hash] = /^(?:[^/]+\/)?(0x[0-9a-f]{40})$/i.exec(target) ?? []
  if (hash) return `/cast/${hash.toLowerCase()}`
  if (/^\d+$/.test(target)) return `/@!${target}`
  if (/^@?[a-z0-9][a-z0-9.-]*$/.test(target)) return `/@${target.replace('@', '')}`
  if (/^\/[a-z0-9][a-z0-9-]*$/.test(target)) return `/channel${target}`
  throw new Failure(`"${target}" is no fid, @name, cast or /channel`)
}
