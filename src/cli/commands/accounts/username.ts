import { getJson } from '../../client.ts'
import { at, type Target } from '../network.ts'

const USERNAME = 'USER_DATA_TYPE_USERNAME'

/** The username that an account has set. */
export async function usernameOf({ hub }: Target, fid: number): Promise<string | undefined> {
  const { messages } = await getJson(at(hub, `/v1/userDataByFid?fid=${fid}`))
  // biome-ignore lint/suspicious/noExplicitAny: a message as JSON
  const found = messages.find(({ data }: any) => data.userDataBody.type === USERNAME)
  return found?.data.userDataBody.value || undefined
}
