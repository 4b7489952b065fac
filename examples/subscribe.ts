// Follows the events of a hub over gRPC with the published client library, live and without missing one: the
// last id is all a reader has to remember. Run against `npm start`: npx node examples/subscribe.ts
import { getInsecureHubRpcClient, HubEventType } from 'hub-nodejs-0.17'

const client = getInsecureHubRpcClient(process.env.ROOKERY_GRPC ?? '127.0.0.1:2283')
const { MERGE_MESSAGE } = HubEventType

// 0 is the oldest event. After a restart pass the last id that was handled: that event comes once more.
const subscribed = await client.subscribe({ eventTypes: [MERGE_MESSAGE], fromId: 0 })
if (subscribed.isErr()) throw subscribed.error
for await (const event of subscribed.value) {
  const data = event.mergeMessageBody?.message?.data
  if (data?.castAddBody) console.log(`${event.id} fid ${data.fid}: ${data.castAddBody.text}`)
}
