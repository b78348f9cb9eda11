/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy as a function of C over the same parsed input: its time is the
 * measure of what the language itself takes.  bench/rego/run holds the answers
 * of each to those of its policy.
 */
#include "by_hand.h"

#define AT(value, key)  bl_object_find((value), BL_STR(key))
#define IS(value, text) is_text((value), BL_STR(text))

static bool is_text(struct bl_value value, struct bl_str text)
{
	return bl_value_is(value, BL_KIND_STRING) &&
	       bl_str_equal(bl_value_text(value), text);
}

static bool is_true(struct bl_value value)
{
	return bl_value_is_defined(value) &&
	       (!bl_value_is(value, BL_KIND_BOOLEAN) || value.as.boolean);
}

static bool is_same(struct bl_value a, struct bl_value b)
{
	return bl_value_is_defined(a) && bl_value_is_defined(b) &&
	       bl_value_equal(a, b);
}

static bool is_at_most(struct bl_value a, struct bl_value b)
{
	return bl_value_is_defined(a) && bl_value_is_defined(b) &&
	       bl_value_compare(a, b) <= 0;
}

static bool is_below(struct bl_value a, struct bl_value b)
{
	return bl_value_is_defined(a) && bl_value_is_defined(b) &&
	       bl_value_compare(a, b) < 0;
}

static bool has_item(struct bl_value list, struct bl_value item)
{
	for (size_t i = 0; i < bl_value_count(list); i++)
		if (bl_value_equal(bl_value_item(list, i), item))
			return true;
	return false;
}

static bool allow_rbac(struct bl_value input)
{
	struct bl_value user = AT(input, "user");
	struct bl_value roles = AT(user, "roles");
	struct bl_value action = AT(input, "action");
	bool reads = IS(action, "read");
	bool writes = reads || IS(action, "write");
	bool any = writes || IS(action, "delete") || IS(action, "grant");

	for (size_t i = 0;
	     is_true(AT(user, "active")) && i < bl_value_count(roles); i++) {
		struct bl_value role = bl_value_item(roles, i);

		if ((any && IS(role, "admin")) ||
		    (writes && IS(role, "editor")) ||
		    (reads && IS(role, "viewer")))
			return true;
	}
	return is_same(AT(AT(input, "resource"), "owner"), AT(user, "name"));
}

/* The part of a path up to the next "/"; takes it off. */
static struct bl_str next_part(struct bl_str *path)
{
	struct bl_str part = *path;

	for (part.len = 0; part.len < path->len; part.len++)
		if (path->ptr[part.len] == '/')
			break;
	path->ptr += part.len + (part.len < path->len);
	path->len -= part.len + (part.len < path->len);
	return part;
}

static bool is_of(struct bl_str path, struct bl_value subject)
{
	while (path.len && path.ptr[0] == '/') {
		path.ptr++;
		path.len--;
	}
	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	return bl_str_is(next_part(&path), "users") && path.len &&
	       is_text(subject, next_part(&path));
}

static bool allow_api_access(struct bl_value input)
{
	struct bl_value method = AT(input, "method");
	struct bl_value token = AT(input, "token");
	struct bl_value rate = AT(input, "rate");
	struct bl_str path = bl_value_text(AT(input, "path"));
	bool gets = IS(method, "GET");

	if (gets && bl_str_has_prefix(path, BL_STR("/public/")))
		return true;
	if (is_at_most(AT(token, "until"), AT(input, "now")))
		return false;
	if ((gets || IS(method, "POST")) && is_of(path, AT(token, "subject")))
		return true;
	return has_item(AT(token, "scopes"),
			bl_value_string(BL_STR("operator"))) &&
	       is_below(AT(rate, "used"), AT(rate, "limit"));
}

static bool is_in_hours(struct bl_value day, struct bl_value hour)
{
	return (IS(day, "mon") || IS(day, "tue") || IS(day, "wed") ||
		IS(day, "thu") || IS(day, "fri")) &&
	       is_at_most(bl_value_integer(8), hour) &&
	       is_below(hour, bl_value_integer(18));
}

static bool allow_time_based(struct bl_value input)
{
	struct bl_value user = AT(input, "user");
	struct bl_value kind = AT(user, "kind");
	struct bl_value day = AT(input, "day");
	struct bl_value hour = AT(input, "hour");
	struct bl_value door = AT(input, "door");
	struct bl_value visits = AT(user, "visits");

	if (IS(kind, "employee") && is_in_hours(day, hour))
		return true;
	if (IS(kind, "guard") && (IS(door, "front") || IS(door, "yard")))
		return true;
	for (size_t i = 0; i < bl_value_count(visits); i++) {
		struct bl_value visit = bl_value_item(visits, i);

		if (is_same(AT(visit, "day"), day) &&
		    is_at_most(AT(visit, "from"), hour) &&
		    is_at_most(hour, AT(visit, "to")))
			return true;
	}
	return false;
}

static int level_of(struct bl_value name)
{
	return IS(name, "public")     ? 0
	       : IS(name, "internal") ? 1
	       : IS(name, "secret")   ? 2
	       : IS(name, "top")      ? 3
				      : -1;
}

static bool allow_data_sensitivity(struct bl_value input)
{
	struct bl_value document = AT(input, "document");
	struct bl_value user = AT(input, "user");
	struct bl_value tags = AT(document, "tags");
	int label = level_of(AT(document, "label"));
	bool all = bl_value_is(tags, BL_KIND_ARRAY);

	if (label == 0 && IS(AT(input, "action"), "read"))
		return true;
	if (label < 0 || level_of(AT(user, "clearance")) < label)
		return false;
	for (size_t i = 0; all && i < bl_value_count(tags); i++)
		all = has_item(AT(user, "needs"), bl_value_item(tags, i));
	return all;
}

static bool allow_data_processing(struct bl_value input)
{
	struct bl_value subject = AT(input, "subject");
	struct bl_value consents = AT(subject, "consents");
	struct bl_value fields = AT(input, "fields");
	struct bl_value shared = AT(subject, "shared");
	bool consented = false;

	if (IS(AT(AT(input, "legal"), "basis"), "court order"))
		return true;
	for (size_t i = 0; !consented && i < bl_value_count(consents); i++) {
		struct bl_value one = bl_value_item(consents, i);

		consented = is_true(AT(one, "given")) &&
			    is_same(AT(one, "purpose"), AT(input, "purpose"));
	}
	for (size_t i = 0; consented && i < bl_value_count(fields); i++)
		consented = is_true(
			bl_object_find_value(shared, bl_value_item(fields, i)));
	return consented &&
	       is_at_most(AT(input, "keep_days"), bl_value_integer(365));
}

static bool allow_keyvault(struct bl_value input)
{
	struct bl_value resource = AT(input, "resource");
	struct bl_value properties = AT(resource, "properties");
	struct bl_value network = AT(properties, "network");
	struct bl_value ranges = AT(network, "ranges");
	struct bl_value sku = AT(AT(properties, "sku"), "name");

	if (!IS(AT(resource, "type"), "keyvault/vaults"))
		return true;
	return bl_value_is_true(AT(properties, "softDelete")) &&
	       bl_value_is_true(AT(properties, "purgeProtection")) &&
	       IS(AT(network, "defaultAction"), "Deny") &&
	       bl_value_is_defined(ranges) && bl_value_count(ranges) <= 10 &&
	       (IS(sku, "premium") || IS(sku, "standard"));
}

static bool is_open(struct bl_value rule)
{
	struct bl_value source = AT(rule, "source");
	struct bl_value port = AT(rule, "port");

	return IS(AT(rule, "direction"), "Inbound") &&
	       IS(AT(rule, "access"), "Allow") &&
	       (IS(source, "*") || IS(source, "0.0.0.0/0") ||
		IS(source, "Internet")) &&
	       (is_same(port, bl_value_integer(22)) ||
		is_same(port, bl_value_integer(3389)) ||
		is_same(port, bl_value_integer(5432))) &&
	       bl_value_is_defined(AT(rule, "name"));
}

static bool allow_nsg(struct bl_value input)
{
	struct bl_value rules = AT(input, "rules");

	for (size_t i = 0; i < bl_value_count(rules); i++)
		if (is_open(bl_value_item(rules, i)))
			return false;
	return true;
}

static bool is_name(struct bl_str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!(name.ptr[i] >= 'a' && name.ptr[i] <= 'z') &&
		    !(name.ptr[i] >= '0' && name.ptr[i] <= '9'))
			return false;
	return name.len >= 3 && name.len <= 24;
}

static bool allow_storage(struct bl_value input)
{
	struct bl_value account = AT(input, "account");
	struct bl_value containers = AT(account, "containers");
	struct bl_value tls = AT(account, "minTls");

	for (size_t i = 0; i < bl_value_count(containers); i++) {
		struct bl_value access =
			AT(bl_value_item(containers, i), "access");

		if (bl_value_is_defined(access) && !IS(access, "none"))
			return false;
	}
	return is_true(AT(account, "httpsOnly")) &&
	       (IS(tls, "1.2") || IS(tls, "1.3")) &&
	       is_name(bl_value_text(AT(account, "name")));
}

static bool fits(struct bl_value env, struct bl_value size)
{
	bool medium = IS(size, "medium");

	if (IS(env, "dev"))
		return medium || IS(size, "small");
	return IS(env, "prod") &&
	       (medium || IS(size, "large") || IS(size, "huge"));
}

static bool allow_vm(struct bl_value input)
{
	struct bl_value vm = AT(input, "vm");
	struct bl_value tags = AT(vm, "tags");
	struct bl_value region = AT(vm, "region");
	struct bl_value disks = AT(vm, "disks");

	if (!bl_value_is_defined(AT(tags, "owner")) ||
	    !bl_value_is_defined(AT(tags, "cost")) ||
	    !fits(AT(tags, "env"), AT(vm, "size")) ||
	    !(IS(region, "north") || IS(region, "west")))
		return false;
	for (size_t i = 0; i < bl_value_count(disks); i++) {
		struct bl_value disk = bl_value_item(disks, i);

		if (!is_true(AT(disk, "encrypted")) ||
		    !is_at_most(AT(disk, "gb"), bl_value_integer(1024)))
			return false;
	}
	return bl_value_is(disks, BL_KIND_ARRAY);
}

by_hand_fn *by_hand(struct bl_str path)
{
	static const struct {
		const char *folder;
		by_hand_fn *function;
	} rows[] = {
		{ "/rbac/", allow_rbac },
		{ "/api_access/", allow_api_access },
		{ "/time_based/", allow_time_based },
		{ "/data_sensitivity/", allow_data_sensitivity },
		{ "/data_processing/", allow_data_processing },
		{ "/keyvault/", allow_keyvault },
		{ "/nsg/", allow_nsg },
		{ "/storage/", allow_storage },
		{ "/vm/", allow_vm },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (bl_str_find(path, bl_str(rows[i].folder), 0) != SIZE_MAX)
			return rows[i].function;
	return NULL;
}
