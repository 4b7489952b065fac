import { userInfo } from 'node:os'
import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { group } from '../../call-command.ts'
import { getJson } from '../../client.ts'
import { EXIT_FAILED, Failure } from '../../failure.ts'
import { oneLine, printResult } from '../../output.ts'
import { at } from '../network.ts'
import { asOperator, type OperatorOptions, operatorCall } from '../operator.ts'
import { userCall } from '../platform.ts'

const NAME_CHARACTERS = 32
const FAULT_CHARACTERS = 200
/** Fields of every decision. */
const DECISION = { actor: { preset: userInfo().username } }

const publish = userCall('publish', 'POST /fc/mini-apps', {
  example: 'poll.example',
  args: ['domain'],
  take: ({ result }) => result.app,
  line: ({ domain, name }) => `${domain} ${oneLine(name, NAME_CHARACTERS)} is listed`,
})

const withdraw = userCall('withdraw', 'DELETE /fc/mini-apps', {
  example: 'poll.example',
  args: ['domain'],
  take: (_, input) => input,
  line: ({ domain }) => `${domain} is not listed`,
})

const list = operatorCall('list', 'GET /platform/mini-apps', {
  each: ({ result }) => result.apps,
  line: lineOf,
})

const add = operatorCall('add', 'POST /platform/mini-apps', {
  example: 'poll.example',
  args: ['domain'],
  take: ({ result }) => result.app,
  line: lineOf,
})

const refresh = operatorCall('refresh', 'POST /platform/refreshed-mini-apps', {
  example: 'poll.example',
  args: ['domain'],
  take: ({ result }) => result.app,
  line: lineOf,
})

const showFeatured = operatorCall('show-featured', 'GET /platform/featured-mini-apps', {
  each: ({ result }) => result.apps,
  line: lineOf,
})

const featured = operatorCall('featured', 'PUT /platform/featured-mini-apps', {
  example: 'poll.example',
  args: ['domains'],
  take: (_, input) => input,
  line: ({ domains }) => `${domains.length} mini apps are recommended`,
})

const remove = operatorCall('remove', 'POST /platform/removed-mini-apps', {
  example: 'poll.example --reason "it asks for passwords"',
  args: ['domain'],
  fields: DECISION,
  take: (_, input) => input,
  line: ({ domain }) => `${domain} is removed`,
})

const restore = operatorCall('restore', 'DELETE /platform/removed-mini-apps', {
  example: 'poll.example --reason "its author has mended it"',
  args: ['domain'],
  fields: DECISION,
  take: (_, input) => input,
  line: ({ domain }) => `${domain} is no longer removed`,
})

type Report = {
  readonly url: string
  readonly isReady: boolean
  readonly faults: readonly {
    readonly severity: 'error' | 'warning'
    readonly path?: string
    readonly message: string
    readonly fix: string
  }[]
}

function addCheck(parent: Command, config: ClientConfig): void {
  asOperator(parent.command('check'), config)
    .summary('say what is wrong about an app, and how to mend it')
    .description(
      'Asks a development network, which reads the manifest, the page and its headers. Ends with 1 when there is an error.',
    )
    .argument('<url>', 'a page of the app')
    .addHelpText('after', '\nExample:\n  rookery mini-app check http://localhost:3000')
    .action(async (url: string, options: OperatorOptions) => {
      const query = new URLSearchParams({ url })
      const path = `/dev/mini-app-report?${query}`
      const report: Report | undefined = await getJson(at(options.operations, path))
      if (!report) {
        throw new Failure(`${options.operations} is no development network. Try: rookery start`)
      }
      printResult(options, report, linesOf(report))
      if (!report.isReady) process.exitCode = EXIT_FAILED
    })
}

function linesOf({ url, faults }: Report): string {
  if (faults.length === 0) return `${url} has no faults`
  const lines = faults.map(({ severity, path, message, fix }) => {
    const what = path === undefined ? message : `${path} ${message}`
    return `${severity}: ${oneLine(what, FAULT_CHARACTERS)}\n  ${oneLine(fix, FAULT_CHARACTERS)}`
  })
  return lines.join('\n')
}

type App = {
  readonly domain: string
  readonly name: string
  readonly authorFid?: number | undefined
  readonly state: string
  readonly people: number
  readonly faults: readonly { readonly severity: string; readonly message: string }[]
}

function lineOf({ domain, name, authorFid, state, people, faults }: App): string {
  const fault = faults.find(({ severity }) => severity === 'error')
  const trouble = fault ? ` (${oneLine(fault.message, FAULT_CHARACTERS)})` : ''
  const author = authorFid === undefined ? 'unsigned' : `by fid ${authorFid}`
  const users = people === 1 ? 'user' : 'users'
  return `${domain} ${oneLine(name, NAME_CHARACTERS)}, ${author}, ${state}, ${people} ${users}${trouble}`
}

export const addMiniAppCommands = group(
  'mini-app',
  'Mini apps, which run inside clients. Authors check, publish and withdraw their own; the other commands are for the ' +
    'operator and send ROOKERY_OPS_TOKEN.',
  'add poll.example',
  [addCheck, publish, withdraw, list, add, refresh, showFeatured, featured, remove, restore],
)
