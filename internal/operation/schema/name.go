package schema

import (
	"path"
	"reflect"
	"strings"
)

// componentName names the component of a named type. The arguments of a
// generic type follow it: List[office.SalesOrder] is ListOfficeSalesOrder.
func componentName(t reflect.Type) string {
	name, arguments, _ := strings.Cut(t.Name(), "[")
	all := []string{prefixed(t.PkgPath(), name)}
	for argument := range strings.FieldsFuncSeq(arguments, func(c rune) bool {
		return strings.ContainsRune("[]*, ", c)
	}) {
		dot := strings.LastIndexByte(argument, '.')
		all = append(all, prefixed(argument[:max(dot, 0)], argument[dot+1:]))
	}
	return strings.Join(all, "")
}

// prefixed puts the system in front of a name from one of the two systems'
// packages, in which equal names exist.
func prefixed(pkg, name string) string {
	name, _, _ = strings.Cut(name, "·") // marks types that are local to a function
	if name == "" {
		return ""
	}
	name = strings.ToUpper(name[:1]) + name[1:]
	system := ""
	switch path.Base(pkg) {
	case "office":
		system = "Office"
	case "factory":
		system = "Factory"
	}
	if strings.HasPrefix(name, system) {
		return name
	}
	return system + name
}
