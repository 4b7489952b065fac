// Reads every event from the beginning and continues without missing one. The id to continue from is the only
// state of a reader. Run against `npm start`: npx node examples/follow-events.ts
import { setTimeout as delay } from 'node:timers/promises'

const hub = process.env.ROOKERY_HUB_URL ?? 'http://127.0.0.1:2281'
const once = process.argv.includes('--once')

// biome-ignore lint/suspicious/noExplicitAny: events are of many kinds; /openapi.json describes them
type Events = { events: any[]; nextPageEventId: number }

for (let from = 0; ; ) {
  const answer = await fetch(`${hub}/v1/events?from_event_id=${from}`)
  // bad_request.future_event: the hub's data were reset or restored. Begin again.
  if (!answer.ok) throw new Error(await answer.text())
  const { events, nextPageEventId } = (await answer.json()) as Events
  for (const event of events) {
    const data = event.mergeMessageBody?.message?.data
    if (data?.castAddBody) console.log(`${event.id} fid ${data.fid}: ${data.castAddBody.text}`)
  }
  from = nextPageEventId // after a restart, continue here
  if (events.length > 0) continue
  if (once) break
  await delay(500)
}
