// The newest casts of an account, read on the server; the form below posts from the browser.
import { createHub } from 'rookery/client'
import { Publish } from './publish'

const NETWORK = process.env.ROOKERY ?? 'http://127.0.0.1:2290'

export const dynamic = 'force-dynamic'

export default async function Page() {
  const hub = createHub({ url: `${NETWORK}/hub` })
  const { messages } = await hub.get('/v1/castsByFid', { fid: 1, pageSize: 10, reverse: true })
  return (
    <main>
      <ul>
        {messages.map(({ hash, data }) => (
          <li key={hash}>{'castAddBody' in data && data.castAddBody.text}</li>
        ))}
      </ul>
      <Publish url={NETWORK} />
    </main>
  )
}
