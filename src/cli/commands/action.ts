import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { group } from '../call-command.ts'
import { Refused } from '../client.ts'
import { EXIT_FAILED } from '../failure.ts'
import { note, oneLine, printResult } from '../output.ts'
import { countingBar } from '../progress.ts'
import { asOperator, type OperatorOptions, operatorCall, operatorCalls } from './operator.ts'
import { userCall } from './platform.ts'

const NAME_CHARACTERS = 30
const FAULT_CHARACTERS = 200
const PER_PAGE = 1_000

const install = userCall('install', 'POST /fc/installed-actions', {
  example: 'https://example.com/upvote',
  args: ['actionUrl'],
  take: (_, { actionUrl }, fid) => ({ fid, actionUrl }),
  line: ({ fid, actionUrl }) => `fid ${fid} has installed ${actionUrl}`,
})

const uninstall = userCall('uninstall', 'DELETE /fc/installed-actions', {
  example: 'https://example.com/upvote',
  args: ['actionUrl'],
  take: (_, { actionUrl }, fid) => ({ fid, actionUrl }),
  line: ({ fid, actionUrl }) => `fid ${fid} has not installed ${actionUrl}`,
})

const add = operatorCall('add', 'POST /platform/actions', {
  example: 'https://example.com/upvote',
  args: ['actionUrl'],
  take: ({ result }) => result.action,
  line: lineOf,
})

const list = operatorCall('list', 'GET /platform/actions', {
  each: ({ result }) => result.actions,
  line: lineOf,
})

const featured = operatorCall('featured', 'PUT /platform/featured-actions', {
  example: 'https://a.example/poll',
  args: ['actionUrls'],
  take: (_, input) => input,
  line: ({ actionUrls }) => `${actionUrls.length} composer actions are recommended`,
})

const remove = operatorCall('remove', 'DELETE /platform/actions', {
  example: 'https://example.com/upvote',
  args: ['actionUrl'],
  take: (_, input) => input,
  line: ({ actionUrl }) => `${actionUrl} is removed`,
})

function addRefresh(parent: Command, config: ClientConfig): void {
  asOperator(parent.command('refresh'), config)
    .summary('fetch the document of one action, or of all actions, again')
    .argument('[url]', 'URL of its document (default: all actions)')
    .addHelpText('after', '\nExample:\n  rookery action refresh')
    .action(async (actionUrl: string | undefined, options: OperatorOptions) => {
      if (actionUrl === undefined) return refreshAll(options, config)
      const calls = operatorCalls(options, config)
      const { result } = await calls.ask('POST /platform/refreshed-actions', { actionUrl })
      printResult(options, result.action, lineOf(result.action))
    })
}

/** Refreshes one action after the other and names those whose documents are refused. */
async function refreshAll(options: OperatorOptions, config: ClientConfig): Promise<void> {
  const calls = operatorCalls(options, config)
  const bar = countingBar('actions refreshed')
  let count = 0
  const failed: string[] = []
  try {
    for await (const { result } of calls.pages('GET /platform/actions', { limit: PER_PAGE })) {
      for (const { actionUrl } of result.actions) {
        try {
          await calls.ask('POST /platform/refreshed-actions', { actionUrl })
        } catch (error) {
          if (!(error instanceof Refused)) throw error
          failed.push(error.message)
        }
        bar.update(++count)
      }
    }
  } finally {
    bar.stop()
  }
  for (const message of failed) note(message)
  const refreshed = count - failed.length
  printResult(options, { refreshed, failed }, `${refreshed} of ${count} actions are refreshed`)
  if (failed.length > 0) process.exitCode = EXIT_FAILED
}

type Action = {
  readonly actionUrl: string
  readonly kind: string
  readonly name: string
  readonly addedCount: number
  readonly fault?: string | undefined
}

function lineOf({ actionUrl, kind, name, addedCount, fault }: Action): string {
  const trouble = fault === undefined ? '' : ` (${oneLine(fault, FAULT_CHARACTERS)})`
  const users = addedCount === 1 ? 'user' : 'users'
  return `${kind} ${actionUrl} ${oneLine(name, NAME_CHARACTERS)}, ${addedCount} ${users}${trouble}`
}

export const addActionCommands = group(
  'action',
  'Actions that clients offer on casts. Users install and uninstall them; the other commands are for the ' +
    'operator and send ROOKERY_OPS_TOKEN.',
  'add https://example.com/upvote',
  [install, uninstall, add, list, featured, addRefresh, remove],
)
