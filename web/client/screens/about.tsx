import { Link, useLocation } from 'react-router'
import { face } from '../../shared/face.ts'
import { webUrl } from '../../shared/links.ts'
import { Markdown } from '../../shared/markdown.tsx'
import { useServer } from '../parts/server.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'

type Server = NonNullable<ReturnType<typeof useServer>['data']>

const HEADINGS = { about: 'About', rules: 'Rules', privacy: 'Privacy' } as const

/** `/about`, `/rules`, `/privacy` */
export function Component() {
  const page = useLocation().pathname.replaceAll('/', '') as keyof typeof HEADINGS
  const heading = HEADINGS[page]
  const { data, error, refetch } = useServer()
  return (
    <div className="form-screen">
      <Title>{heading}</Title>
      <h1>
        {heading} {page === 'about' && <bdi>{face.name}</bdi>}
      </h1>
      {error ? (
        <Failed error={error} retry={refetch} />
      ) : !data ? (
        <Loading what="Loading" rows={1} />
      ) : page === 'about' ? (
        <About server={data} />
      ) : data[page] === '' ? (
        <p>The operator has not written this yet.</p>
      ) : (
        <Markdown text={data[page]} />
      )}
    </div>
  )
}

function About({ server: { description, contact, rules, privacy } }: { server: Server }) {
  const url = webUrl(contact)
  return (
    <>
      {description && <p dir="auto">{description}</p>}
      {contact && (
        <p>
          Contact:{' '}
          {url ? (
            <a href={url.href} rel="noopener noreferrer">
              {contact}
            </a>
          ) : (
            <bdi>{contact}</bdi>
          )}
        </p>
      )}
      <p>
        Everything that is written here is public, and everybody can copy it. Each message is signed
        by its author, and other servers of the network may have it too.
      </p>
      <h2>Rules</h2>
      {rules ? <Markdown text={rules} /> : <p>The operator has not written rules yet.</p>}
      {privacy && (
        <p>
          <Link to="/privacy">Privacy</Link>
        </p>
      )}
      <p>
        <Link to="/help">Help</Link> · <Link to="/names">Names</Link> ·{' '}
        <Link to="/events">Events</Link>
      </p>
      <p className="muted">
        This server runs Rookery and speaks the protocol of Farcaster. Programs find{' '}
        <a href="/docs">every interface</a> and <a href="/hub/v1/info">the state of the hub</a>.
      </p>
    </>
  )
}
