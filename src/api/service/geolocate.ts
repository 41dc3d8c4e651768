import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import type * as contract from '../../contract/service/geolocate.ts';
import type { Location } from '../../domain/location.ts';
import type { Handler } from '../../http/bind.ts';
import { JsonText } from '../../util/json/json-text.ts';

export function geolocate({ locations }: Pick<Context, 'locations'>): Handler<typeof contract.geolocate> {
  return async ({ query, raw }) => {
    const given = query.ip?.trim() || callersAddress(raw);
    if (isIP(given) === 0) throw badRequest(`${given.slice(0, 100)} is not an IP address`);
    // How an IPv4 address looks on a socket for both, and the network card in an address of the local net.
    const ip = given.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
    const location = locations.find(ip);
    return { ip, location: location && answerLocation(location), allowed: true };
  };
}

/** What a proxy forwards need not be an address: some write `unknown`. */
function callersAddress({ ip, socket }: FastifyRequest): string {
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
}

function answerLocation({ start, end, countryCode, countryName }: Location) {
  return {
    file_index: 0, // there is one database
    range_start_int: digits(start.number),
    range_end_int: digits(end.number),
    range_start_ip: start.text,
    range_end_ip: end.text,
    country_code: countryCode,
    country_name: countryName,
  };
}

/** Numbers of IPv6 addresses are larger than JavaScript's numbers. */
function digits(number: bigint): JsonText {
  return new JsonText(String(number));
}
