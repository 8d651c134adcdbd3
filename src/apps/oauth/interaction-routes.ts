import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ConsoleLanguage, pathPrefix } from '../../core/oauth/oauth-addresses.ts';
import { Interaction } from './interaction.ts';
import type { OAuthRoutesOptions, ProviderFor } from './oauth-routes-options.ts';

/**
 * Pages where an account holder signs in and decides, at [/en]/console/oauth/{uid}. They work without
 * scripts.
 */
export function interactionRoutes(
  app: FastifyInstance,
  language: ConsoleLanguage,
  providerFor: ProviderFor,
  options: OAuthRoutesOptions,
): void {
  const path = `${pathPrefix(language)}/console/oauth/:uid`;
  const opened =
    (act: (interaction: Interaction) => FastifyReply | Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const provider = await providerFor(request);
      const interaction = await Interaction.open({ ...options, language, provider, request, reply });
      return interaction === undefined ? reply : await act(interaction);
    };
  app.get(
    path,
    opened((interaction) => interaction.show('sign-in')),
  );
  app.get(
    `${path}/sign-up`,
    opened((interaction) => interaction.show('sign-up')),
  );
  app.post(
    path,
    opened((interaction) => interaction.submit()),
  );
}
