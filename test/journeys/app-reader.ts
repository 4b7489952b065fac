// What the app API says of the network of a journey, whose pages show it.

import type { BrowserWorld } from './browser-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
export type Json = any

export function appReader(world: BrowserWorld) {
  const read = async (path: string): Promise<{ status: number; body: Json }> => {
    const headers = { 'x-api-key': 'web' }
    const response = await fetch(`${world.web}/app/v2/farcaster${path}`, { headers })
    return { status: response.status, body: await response.json() }
  }
  return {
    read,
    storedCast: async (hash: string): Promise<Json> =>
      (await read(`/cast?identifier=${hash}&type=hash`)).body.cast,
    channel: async (id: string): Promise<Json> => (await read(`/channel?id=${id}`)).body.channel,
    person: async (name: string): Promise<Json> =>
      (await read(`/user/by_username?username=${name}`)).body.user,
  }
}
