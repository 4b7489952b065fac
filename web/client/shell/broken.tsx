import { useRouteError } from 'react-router'
import { Shown, useOffline } from '../parts/states.tsx'

const reload = () => location.reload()
/** What browsers say when a part of the page could not be fetched. */
const NOT_FETCHED = /dynamically imported module|module script|Failed to fetch|preload/i

/** A screen that could not be loaded or drawn. */
export function Broken() {
  const error = useRouteError()
  const isOffline = useOffline(reload)
  const text = error instanceof Error ? error.message : String(error)
  return (
    <Shown
      isScreen
      icon="warning"
      heading={isOffline ? 'You are offline' : 'This page could not be shown'}
      action={{ text: 'Load it again', run: reload }}
    >
      <p>
        {isOffline
          ? 'This page was not opened here before. It appears when there is a connection again.'
          : NOT_FETCHED.test(text)
            ? 'A part of it could not be loaded. Check your connection and try again.'
            : text}
      </p>
    </Shown>
  )
}
