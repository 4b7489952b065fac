import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '../../../shared/copy-button.tsx'
import { getTerms } from '../calls.ts'

const SERVER = `import { createClient } from '@farcaster/quick-auth'
import { createVerifyAppKeyWithHub, parseWebhookEvent } from '@farcaster/miniapp-node'
import { createServer } from 'node:http'

const { AUTH_ORIGIN, HUB_URL, DOMAIN } = process.env
const auth = createClient({ origin: AUTH_ORIGIN })
const verifyKey = createVerifyAppKeyWithHub(HUB_URL)

createServer(async (request, response) => {
  if (request.url === '/api/me') {
    const token = request.headers.authorization?.replace('Bearer ', '')
    const { sub: fid } = await auth.verifyJwt({ token, domain: DOMAIN })
    response.end(JSON.stringify({ fid }))
  } else if (request.url === '/webhook') {
    let body = ''
    for await (const piece of request) body += piece
    const { fid, event } = await parseWebhookEvent(JSON.parse(body), verifyKey)
    console.log(fid, event)
    response.end()
  }
}).listen(3001)`

/** What the server of an app has to know of this network. */
export function SnippetPane({ domain }: { domain?: string }) {
  const { data } = useQuery({ queryKey: ['mini app host'], queryFn: getTerms })
  const variables = [
    `HUB_URL=${location.origin}`,
    `AUTH_ORIGIN=${data?.quickAuthOrigin ?? ''}`,
    `DOMAIN=${domain ?? 'localhost:3000'}`,
    `NOTIFICATIONS_URL=${data?.notificationsUrl ?? ''}`,
  ].join('\n')
  return (
    <details className="room-pane">
      <summary>For your server</summary>
      <p className="muted">
        In the page, say once at the start{' '}
        <code>
          sdk.quickAuth.getToken({'{'} quickAuthServerOrigin: AUTH_ORIGIN {'}'})
        </code>
        .
      </p>
      <pre>{variables}</pre>
      <CopyButton value={variables} text="Copy the variables" isShown />
      <pre>{SERVER}</pre>
      <CopyButton value={SERVER} text="Copy the code" isShown />
    </details>
  )
}
