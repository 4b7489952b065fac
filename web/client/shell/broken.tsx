import { useRouteError } from 'react-router'
import { t } from '../../shared/messages.ts'
import { useLost } from '../parts/connection.ts'
import { Shown } from '../parts/states.tsx'

const reload = () => location.reload()
/** What browsers say when a part of the page could not be fetched. */
const NOT_FETCHED = /dynamically imported module|module script|Failed to fetch|preload/i

/** A screen that could not be loaded or drawn. */
export function Broken() {
  const error = useRouteError()
  const text = error instanceof Error ? error.message : String(error)
  const isPartMissing = NOT_FETCHED.test(text)
  const isOffline = useLost(isPartMissing, reload) === 'offline'
  return (
    <Shown
      isScreen
      icon="warning"
      heading={isOffline ? t('You are offline') : t('This page could not be shown')}
      action={{ text: t('Load it again'), run: reload }}
    >
      <p>
        {isOffline
          ? t('This page was not opened here before. It appears when there is a connection again.')
          : isPartMissing
            ? t(
                'A part of it could not be loaded. It is tried again when the server can be reached.',
              )
            : text}
      </p>
    </Shown>
  )
}
