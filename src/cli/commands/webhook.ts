import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { oneLine, print, printJson } from '../output.ts'
import { asOperator, type OperatorOptions, operatorCaller } from './operator.ts'

const TITLE_CHARACTERS = 64

type Options = OperatorOptions & { json?: true }
/** As the operations interface gives it. */
type Webhook = {
  id: string
  app: string
  title: string
  targetUrl: string
  active: boolean
  waiting: number
  fault?: string
}

/** Adds webhook list: the webhooks of all apps, without their secrets. */
export function addWebhookCommands(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  const webhook = program
    .command('webhook')
    .description('Webhooks of the apps of the app API (operator). Sends ROOKERY_OPS_TOKEN.')
    .addHelpText('after', '\nExample:\n  rookery webhook list')
  asOperator(webhook.command('list'), config)
    .option('--json', 'print the answer of the server as JSON')
    .summary('print the webhooks of all apps and what waits for them')
    .addHelpText('after', '\nExample:\n  rookery webhook list')
    .action(async (options: Options) => {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const path: string = `/app/webhooks?after=${encodeURIComponent(after)}`
        const page: { webhooks: Webhook[]; next?: string } = await ask(options, { path })
        for (const one of page.webhooks) {
          if (options.json) printJson(one)
          else print(lineOf(one))
        }
        after = page.next
      }
    })
}

function lineOf({ id, app, title, targetUrl, active, waiting, fault }: Webhook): string {
  const state = active ? 'active' : `inactive${fault === undefined ? '' : ` (${fault})`}`
  return `${id} app ${app} ${state}, ${waiting} waiting: ${oneLine(title, TITLE_CHARACTERS)} ${targetUrl}`
}
