import type { Channels } from '../src/features/channels/channels.ts'
import { MAX_BATCH_RECORDS } from '../src/features/channels/limits.ts'

/** Channels as large as they are on the deployed network. */
export async function importChannels(channels: Channels, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, n) => ({
    channel: {
      id: `channel-${n}`,
      url: `https://farcaster.xyz/~/channel/channel-${n}`,
      name: `Channel number ${n}`,
      description: 'Where those meet who would rather talk about this than about anything else.',
      imageUrl: `https://images.example.org/channels/${n}/the-picture-of-it.png`,
      leadFid: (n % 1_000) + 1,
      createdAt: 1_700_000_000 + n,
    },
  }))
  for (let at = 0; at < lines.length; at += MAX_BATCH_RECORDS) {
    await channels.importRecords(lines.slice(at, at + MAX_BATCH_RECORDS))
  }
}
