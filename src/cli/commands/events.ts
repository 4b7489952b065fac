import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { unixMsOf } from '../../kernel/protocol/time.ts'
import { eventIdArgument } from '../arguments.ts'
import { getJson } from '../client.ts'
import { note, oneLine, printResult } from '../output.ts'
import { at, type Target, withTarget } from './network.ts'

const POLL_MS = 500
const TEXT_CHARACTERS = 60

type EventsOptions = Target & { from: number; follow?: true; json?: true }

export function addEventsCommand(program: Command, config: ClientConfig): void {
  withTarget(program.command('events'), config)
    .summary("print the hub's events")
    .description('Prints the events that the hub still keeps (three days), in order, one per line.')
    .option('--from <id>', 'start at this event id', eventIdArgument, 0)
    .option('-f, --follow', 'keep printing new events')
    .option('--json', 'print each event as JSON')
    .addHelpText('after', '\nExample:\n  rookery events --follow')
    .action(printEvents)
}

async function printEvents(options: EventsOptions): Promise<void> {
  for (let from = options.from; ; ) {
    const page = await getJson(at(options.hub, `/v1/events?from_event_id=${from}`))
    if (page.oldestEventId !== undefined && from > 0 && from === options.from) {
      note(`older events have been deleted; the oldest is ${page.oldestEventId}`)
    }
    for (const event of page.events) printResult(options, event, eventLine(event))
    from = page.nextPageEventId
    if (page.events.length > 0) continue
    if (!options.follow) return
    await delay(POLL_MS)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an event of any kind, as JSON
function eventLine(event: any): string {
  const time = new Date(unixMsOf(event.timestamp)).toISOString().slice(0, 19)
  const kind = event.type.replace('HUB_EVENT_TYPE_', '').toLowerCase().replaceAll('_', ' ')
  return [event.id, `${time}Z`, kind, ...detailsOf(event)].join('  ')
}

// biome-ignore lint/suspicious/noExplicitAny: an event of any kind, as JSON
function detailsOf(event: any): string[] {
  const message = (event.mergeMessageBody ?? event.pruneMessageBody ?? event.revokeMessageBody)
    ?.message
  if (message) {
    const type = message.data.type.replace('MESSAGE_TYPE_', '').toLowerCase().replaceAll('_', ' ')
    return [type, `${message.data.fid}/${message.hash}`, ...textOf(message.data)]
  }
  const proof = event.mergeUsernameProofBody?.usernameProof
  if (proof) return [`${oneLine(proof.name, TEXT_CHARACTERS)} belongs to fid ${proof.fid}`]
  const onChain = event.mergeOnChainEventBody?.onChainEvent
  return onChain ? [onChain.type.replace('EVENT_TYPE_', '').toLowerCase(), `${onChain.fid}`] : []
}

// biome-ignore lint/suspicious/noExplicitAny: message data of any kind, as JSON
function textOf(data: any): string[] {
  const text = data.castAddBody?.text ?? data.userDataBody?.value
  return text === undefined ? [] : [JSON.stringify(oneLine(text, TEXT_CHARACTERS))]
}
