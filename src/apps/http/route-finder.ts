import { shapeOf } from './known-paths.ts';
import type { Route } from './routes.ts';

/** Returns undefined for paths that only the app thread knows, such as the site's built files. */
export function routeFinder(routes: readonly Route[]): (method: string, target: string) => Route | undefined {
  const exact = new Map<string, Route>();
  const shaped: { readonly method: string; readonly shape: RegExp; readonly route: Route }[] = [];
  for (const route of routes)
    for (const method of route.methods.split(', '))
      if (/[:*]/.test(route.path)) shaped.push({ method, shape: shapeOf(route.path), route });
      else exact.set(`${method} ${route.path}`, route);
  return (asked, target) => {
    const method = asked === 'HEAD' ? 'GET' : asked;
    const path = target.split('?', 1)[0]!;
    return exact.get(`${method} ${path}`) ?? shaped.find((one) => one.method === method && one.shape.test(path))?.route;
  };
}
