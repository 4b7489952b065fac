// A page that asks a hub with hub-web. The test calls these functions.

import {
  FarcasterNetwork,
  getHubRpcClient,
  HubEventType,
  makeCastAdd,
  NobleEd25519Signer,
} from '@farcaster/hub-web'

/** The value, or the code of the error. */
const told = (result) =>
  result.match(
    ({ ...value }) => value,
    ({ errCode }) => ({ errCode }),
  )

globalThis.hub = (url) => {
  const client = getHubRpcClient(url, {})
  return {
    async post(fid, seed, text) {
      const signer = new NobleEd25519Signer(Uint8Array.from(seed))
      const body = {
        text,
        embeds: [],
        embedsDeprecated: [],
        mentions: [],
        mentionsPositions: [],
        type: 0,
      }
      const network = FarcasterNetwork.DEVNET
      const message = (await makeCastAdd(body, { fid, network }, signer))._unsafeUnwrap()
      return told(await client.submitMessage(message))
    },
    async casts(fid) {
      const result = await client.getCastsByFid({ fid })
      return result.match(
        ({ messages }) => messages.map(({ data }) => data.castAddBody.text),
        ({ errCode }) => errCode,
      )
    },
    cast: async (fid) => told(await client.getCast({ fid, hash: new Uint8Array(20) })),
    /** The text of the first cast that the stream reports. */
    async nextCast(fromId) {
      const request = { eventTypes: [HubEventType.MERGE_MESSAGE], fromId }
      const events = (await client.subscribe(request))._unsafeUnwrap()
      return new Promise((resolve, reject) => {
        const subscription = events.subscribe({
          next(event) {
            resolve(event.mergeMessageBody.message.data.castAddBody.text)
            subscription.unsubscribe()
          },
          error: reject,
        })
      })
    },
  }
}
