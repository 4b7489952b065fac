import { useRouteError } from 'react-router'
import { Shown } from '../parts/states.tsx'

/** A screen that could not be loaded or drawn. */
export function Broken() {
  const error = useRouteError()
  return (
    <Shown
      isScreen
      icon="warning"
      heading="This page could not be shown"
      action={{ text: 'Load it again', run: () => location.reload() }}
    >
      <p>{error instanceof Error ? error.message : String(error)}</p>
    </Shown>
  )
}
